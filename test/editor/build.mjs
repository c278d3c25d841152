// Builds the tests that run inside the editor, each file for itself, and the probe, into dist/test/.
import * as esbuild from 'esbuild';
import { cp, readdir } from 'node:fs/promises';

const tests = (await readdir('test/editor')).filter((name) => name.endsWith('.test.ts'));
await esbuild.build({
  entryPoints: ['index.ts', ...tests, 'probe/extension.ts'].map((name) => `test/editor/${name}`),
  outbase: 'test/editor',
  outdir: 'dist/test',
  bundle: true,
  sourcemap: true,
  platform: 'node',
  target: 'node20',
  format: 'cjs',
  external: ['vscode', 'mocha', '@foxglove/wasm-zstd'],
  logLevel: 'warning',
});
await cp('test/editor/probe/package.json', 'dist/test/probe/package.json');
