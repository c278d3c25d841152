import { spawn, type SpawnOptions } from 'node:child_process';

/** What a program printed, on both channels in the order it came, and how it ended. */
export interface ProgramEnd {
  code: number | null;
  output: string;
}

/** Runs a program to its end. Where it does not exist, its code is null and its output says so. */
export function tryRun(program: string, args: readonly string[], options: SpawnOptions = {}): Promise<ProgramEnd> {
  return new Promise((resolve) => {
    const child = spawn(program, args, { ...options, stdio: ['ignore', 'pipe', 'pipe'] });
    let output = '';
    const listen = (bytes: Buffer) => (output += bytes.toString());
    child.stdout.on('data', listen);
    child.stderr.on('data', listen);
    child.on('error', (error) => resolve({ code: null, output: error.message }));
    child.on('close', (code) => resolve({ code, output }));
  });
}

/** Runs a program that must succeed; throws with the end of what it printed when it does not. */
export async function run(program: string, args: readonly string[], options: SpawnOptions = {}): Promise<string> {
  const { code, output } = await tryRun(program, args, options);
  if (code !== 0) throw new Error(`${program} ${args.join(' ')} ended with ${code}:\n${output.slice(-4000)}`);
  return output;
}
