import type Mocha from 'mocha';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { format } from 'node:util';
import { testLineMark } from './testLineMark';

/** What VS Code calls in the extension host: runs every test file beside this one, and fails when one of them does. */
export async function run(): Promise<void> {
  const { default: MochaRunner } = await import('mocha');
  const reporter = join(__dirname, '../../test/testbed/reporter.mjs');
  const { default: CountingReporter } = (await import(pathToFileURL(reporter).href)) as {
    default: Mocha.ReporterConstructor;
  };
  // The editor logs to the same console: what the tests say is marked.
  MochaRunner.reporters.Base.consoleLog = (...args: unknown[]) => console.log(testLineMark + format(...args));
  const mocha = new MochaRunner({ ui: 'bdd', timeout: 60_000, color: true, reporter: CountingReporter });
  for (const file of (await readdir(__dirname)).filter((name) => name.endsWith('.test.js')).sort())
    mocha.addFile(join(__dirname, file));
  const failures = await new Promise<number>((resolve) => mocha.run(resolve));
  if (failures > 0) throw new Error(`${failures} tests failed in the editor`);
}
