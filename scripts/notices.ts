import { readFile, readdir } from 'node:fs/promises';
import { join } from 'node:path';

/** A package of which something is bundled. */
interface BundledPackage {
  name: string;
  version: string;
  licence: string;
  texts: string[];
}

/** What is inside of packages without their saying so: a package's name, and whose licence has to go with it. */
const inside: Record<string, { name: string; licence: string; file: string }[]> = {
  '@foxglove/wasm-zstd': [
    { name: 'Zstandard', licence: 'BSD-3-Clause', file: 'zstd.txt' },
    { name: "Emscripten's runtime", licence: 'MIT', file: 'emscripten.txt' },
  ],
};

/** Licences of packages that come without the text of theirs: by what their manifest and the heads of their source say. */
const leftOut: Record<string, { licence: string; file: string }> = {
  '@vscode/l10n': { licence: 'MIT', file: 'vscode-l10n.txt' },
};

/**
 * The notices that go with what is bundled.
 * @param inputs the paths of all that was bundled, `node_modules` in those of packages
 * @throws when a package comes without the text of its licence
 */
export async function thirdPartyNotices(root: string, inputs: readonly string[]): Promise<string> {
  const names = new Set(inputs.map(packageOf).filter((name) => name !== undefined));
  const packages = await Promise.all([...names].sort().map((name) => readPackage(root, name)));
  const parts = packages.map(({ name, version, licence, texts }) =>
    [`${name} ${version} (${licence})`, ...texts].join('\n\n'),
  );
  const rule = `\n\n${'-'.repeat(80)}\n\n`;
  return `${['Deltascope contains the following software of others.', ...parts].join(rule)}\n`;
}

/** The name of the package that a file belongs to; undefined for our own. */
function packageOf(path: string): string | undefined {
  const inPackage = path.replaceAll('\\', '/').split('node_modules/').slice(1).at(-1);
  return inPackage === undefined ? undefined : /^(@[^/]+\/)?[^/]+/.exec(inPackage)?.[0];
}

async function readPackage(root: string, name: string): Promise<BundledPackage> {
  const folder = join(root, 'node_modules', name);
  const manifest = JSON.parse(await readFile(join(folder, 'package.json'), 'utf8')) as {
    version: string;
    license: string;
  };
  const kept = (file: string) => readFile(join(root, 'scripts', 'licences', file), 'utf8');
  const files = (await readdir(folder)).filter((file) => /^licen[cs]e/i.test(file)).sort();
  const texts = await Promise.all(files.map((file) => readFile(join(folder, file), 'utf8')));
  if (texts.length === 0) {
    // Not when a later version has another licence.
    if (!(name in leftOut) || leftOut[name].licence !== manifest.license)
      throw new Error(`${name} comes without the text of its licence`);
    texts.push(await kept(leftOut[name].file));
  }
  const others = (inside[name] ?? []).map(
    async (other) => `It contains ${other.name} (${other.licence}):\n\n${await kept(other.file)}`,
  );
  const all = [...texts, ...(await Promise.all(others))].map((text) => text.replaceAll('\r', '').trim());
  return { name, version: manifest.version, licence: manifest.license, texts: all };
}
