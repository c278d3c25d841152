import { readdirSync } from 'node:fs';
import { basename, join } from 'node:path';

/** Runs the benchmarks that are named, or all: `npm run bench -- chains stream-clone`. */
async function main(names: string[]): Promise<void> {
  const there = new Map(
    readdirSync(__dirname)
      .filter((file) => file.endsWith('.ts') && file !== basename(__filename))
      .map((file) => [kebabCase(basename(file, '.ts')), join(__dirname, file)]),
  );
  const known = [...there.keys()];
  const unknown = names.filter((name) => !there.has(name));
  if (unknown.length > 0)
    throw new Error(`There is no benchmark ${unknown.join(', ')}. There are ${known.join(', ')}.`);
  for (const name of names.length > 0 ? names : known) {
    console.log(`\n=== ${name}`);
    const bench = (await import(there.get(name) ?? '')) as { default: () => Promise<void> };
    await bench.default();
  }
}

function kebabCase(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
}

main(process.argv.slice(2)).catch((error: unknown) => {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
});
