// Builds everything into dist/: the extension host's code, the workers', the webviews' and the command line.
import * as esbuild from 'esbuild';
import { existsSync } from 'node:fs';
import { chmod, copyFile, mkdir, rm } from 'node:fs/promises';

const watch = process.argv.includes('--watch');
const production = process.argv.includes('--production');

/** Targets whose source does not exist are an error, not a smaller build. */
const node = (entry, outfile, extra = {}) => ({
  entryPoints: [entry],
  outfile,
  platform: 'node',
  target: 'node20',
  format: 'cjs',
  external: ['vscode', '@mongodb-js/zstd', '@foxglove/wasm-zstd'],
  ...extra,
});
const browser = (entry, outfile) => ({
  entryPoints: [entry],
  outfile,
  platform: 'browser',
  target: 'es2022',
  format: 'esm',
});

const pages = ['bundle', 'compare', 'report', 'transfer'].filter((page) => existsSync(`src/webview/${page}/main.ts`));
const targets = [
  node('src/extension.ts', 'dist/extension.js'),
  node('src/engine/worker.ts', 'dist/worker.js'),
  node('src/editor/ssh/askpassMain.ts', 'dist/askpass.js'),
  node('src/cli/main.ts', 'dist/cli.js', { banner: { js: '#!/usr/bin/env node' } }),
  ...pages.map((page) => browser(`src/webview/${page}/main.ts`, `dist/webview/${page}.js`)),
];

/** Says when a build begins and when the last of them has ended: the editor's watch task waits for these lines. */
let building = 0;
const announce = {
  name: 'announce',
  setup({ onStart, onEnd }) {
    onStart(() => void (building++ === 0 && console.log('build started')));
    onEnd(() => void (--building === 0 && console.log('build finished')));
  },
};

await rm('dist', { recursive: true, force: true });
await mkdir('dist/webview', { recursive: true });
for (const file of ['codicon.css', 'codicon.ttf']) {
  await copyFile(`node_modules/@vscode/codicons/dist/${file}`, `dist/webview/${file}`);
}
const contexts = await Promise.all(
  targets.map((target) =>
    esbuild.context({
      bundle: true,
      sourcemap: !production,
      minify: production,
      logLevel: 'warning',
      plugins: watch ? [announce] : [],
      ...target,
    }),
  ),
);
if (watch) {
  await Promise.all(contexts.map((context) => context.watch()));
} else {
  await Promise.all(contexts.map((context) => context.rebuild()));
  await Promise.all(contexts.map((context) => context.dispose()));
  await chmod('dist/cli.js', 0o755);
}
