// Builds everything into dist/: the extension host's code, the workers', the webviews' and the command line.
import * as esbuild from 'esbuild';
import { chmod, copyFile, mkdir, rm, writeFile } from 'node:fs/promises';
import { parseArgs } from 'node:util';

const { values } = parseArgs({
  options: {
    watch: { type: 'boolean', default: false },
    /** What is published: small, without source maps, and without the command line. */
    production: { type: 'boolean', default: false },
    outdir: { type: 'string', default: 'dist' },
    /** A file that gets the names of all that was bundled, one a line. */
    inputs: { type: 'string' },
  },
});
const { watch, production, outdir } = values;

/** Targets whose source does not exist are an error, not a smaller build. */
const node = (entry, outfile, extra = {}) => ({
  entryPoints: [entry],
  outfile,
  platform: 'node',
  target: 'node20',
  format: 'cjs',
  external: ['vscode'],
  // It is found by its name, beside the script.
  loader: { '.wasm': 'empty' },
  ...extra,
});
const browser = (entry, outfile) => ({
  entryPoints: [entry],
  outfile,
  platform: 'browser',
  target: 'es2022',
  format: 'esm',
});

/**
 * The editor's API as one module of ours. Each file that imports a module from outside gets a copy of it, made name by
 * name: of this one, with its hundreds of names, they were half of what waking up took.
 */
const oneEditor = {
  name: 'one-editor',
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /^vscode$/ }, ({ namespace }) =>
      namespace === 'editor' ? { path: 'vscode', external: true } : { path: 'vscode', namespace: 'editor' },
    );
    onLoad({ filter: /^vscode$/, namespace: 'editor' }, () => ({ contents: "export * from 'vscode';" }));
  },
};

const pages = ['bundle', 'compare', 'report', 'transfer'];
const targets = [
  node('src/extension.ts', `${outdir}/extension.js`, { plugins: [oneEditor] }),
  node('src/engine/worker.ts', `${outdir}/worker.js`),
  node('src/editor/ssh/askpassMain.ts', `${outdir}/askpass.js`),
  ...(production ? [] : [node('src/cli/main.ts', `${outdir}/cli.js`, { banner: { js: '#!/usr/bin/env node' } })]),
  ...pages.map((page) => browser(`src/webview/${page}/main.ts`, `${outdir}/webview/${page}.js`)),
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

const copies = [
  ['node_modules/@vscode/codicons/dist/codicon.css', 'webview/codicon.css'],
  ['node_modules/@vscode/codicons/dist/codicon.ttf', 'webview/codicon.ttf'],
  ['node_modules/@foxglove/wasm-zstd/dist/wasm-zstd.wasm', 'wasm-zstd.wasm'],
];

await rm(outdir, { recursive: true, force: true });
await mkdir(`${outdir}/webview`, { recursive: true });
for (const [from, to] of copies) await copyFile(from, `${outdir}/${to}`);
const contexts = await Promise.all(
  targets.map((target) =>
    esbuild.context({
      bundle: true,
      sourcemap: !production,
      minify: production,
      metafile: true,
      logLevel: 'warning',
      ...target,
      plugins: [...(watch ? [announce] : []), ...(target.plugins ?? [])],
    }),
  ),
);
if (watch) {
  await Promise.all(contexts.map((context) => context.watch()));
} else {
  const results = await Promise.all(contexts.map((context) => context.rebuild()));
  await Promise.all(contexts.map((context) => context.dispose()));
  if (!production) await chmod(`${outdir}/cli.js`, 0o755);
  if (values.inputs !== undefined) {
    // Only what has left something in a bundle: the rest was shaken off.
    const bundled = results.flatMap(({ metafile }) =>
      Object.values(metafile.outputs).flatMap(({ inputs }) =>
        Object.keys(inputs).filter((path) => inputs[path].bytesInOutput > 0),
      ),
    );
    const all = new Set([...bundled, ...copies.map(([from]) => from)]);
    await writeFile(values.inputs, `${[...all].sort().join('\n')}\n`);
  }
}
