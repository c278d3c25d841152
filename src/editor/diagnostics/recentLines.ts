import type { LogOutputChannel } from 'vscode';
import { format } from 'node:util';

const levels = ['trace', 'debug', 'info', 'warn', 'error'] as const;

/** How many lines are kept, and how long one may be. */
const mostLines = 300;
const longestLine = 2000;

/** The last lines of a log: the editor does not give them back. */
export class RecentLines {
  private readonly lines: string[] = [];

  get all(): readonly string[] {
    return this.lines;
  }

  /** The same log, whose lines are kept here too; those that its level leaves out as well. */
  of(log: LogOutputChannel): LogOutputChannel {
    const kept = levels.map((level) => {
      const value = (message: string | Error, ...args: unknown[]) => {
        this.add(level, format(message, ...args));
        (log[level] as (message: string | Error, ...args: unknown[]) => void)(message, ...args);
      };
      return [level, { value }] as const;
    });
    return Object.create(log, Object.fromEntries(kept)) as LogOutputChannel;
  }

  private add(level: string, message: string): void {
    this.lines.push(`${new Date().toISOString()} [${level}] ${message.slice(0, longestLine)}`);
    if (this.lines.length > mostLines) this.lines.shift();
  }
}
