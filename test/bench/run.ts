import { readdirSync } from 'node:fs';
import { basename, join } from 'node:path';
import { BenchmarkReport } from '../fixtures/benchmarkReport';

/**
 * Runs the benchmarks that are named: `npm run bench -- chains stream-clone`. Without a name all of them, and what they
 * print becomes `docs/BENCHMARKS.md`.
 */
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
  const report = names.length === 0 ? new BenchmarkReport() : undefined;
  for (const name of names.length > 0 ? names : known) {
    console.log(`\n=== ${name}`);
    const bench = (await import(there.get(name) ?? '')) as { default: () => Promise<void> };
    report?.begin(name);
    await bench.default();
    // Each of them takes minutes: what was measured is kept, whatever becomes of the next.
    await report?.end();
  }
  if (report !== undefined) console.log(`\nwritten: ${report.file}`);
}

function kebabCase(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
}

main(process.argv.slice(2)).catch((error: unknown) => {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
});
