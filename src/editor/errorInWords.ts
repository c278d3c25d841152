import { EngineError } from '../engine/io/errors';

/** What went wrong, what that leaves, and what can be done about it: sentences for people. */
export function errorInWords(error: unknown, whatIsLeft = ''): string {
  const message = error instanceof Error ? error.message : String(error);
  const advice = error instanceof EngineError ? error.advice : undefined;
  return [message, whatIsLeft, advice].filter(Boolean).join(' ');
}
