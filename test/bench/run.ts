import { readdirSync } from 'node:fs';
import { basename, join } from 'node:path';

/** Runs the benches that are named, or all: `npm run bench -- chains unpack`. */
async function main(names: string[]): Promise<void> {
  const there = readdirSync(__dirname)
    .filter((name) => name.endsWith('.ts') && name !== basename(__filename))
    .map((name) => basename(name, '.ts'));
  const unknown = names.filter((name) => !there.includes(name));
  if (unknown.length > 0) throw new Error(`There is no bench ${unknown.join(', ')}; there are ${there.join(', ')}.`);
  for (const name of names.length > 0 ? names : there) {
    console.log(`\n=== ${name}`);
    const bench = (await import(join(__dirname, `${name}.ts`))) as { default: () => Promise<void> };
    await bench.default();
  }
}

main(process.argv.slice(2)).catch((error: unknown) => {
  console.error(error);
  process.exitCode = 1;
});
