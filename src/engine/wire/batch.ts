import * as l10n from '@vscode/l10n';
import { protocolError } from '../io/errors';
import type { WireArguments } from './encodeArguments';

/** One of several commands that go in one request. */
export interface BatchedCommand {
  command: string;
  args: WireArguments;
}

const escapes: Record<string, string> = { ':': ':c', ',': ':o', ';': ':s', '=': ':e' };
const unescapes: Record<string, string> = { c: ':', o: ',', s: ';', e: '=' };

/** Several commands as the one argument `cmds` of `batch`. @see `hg help internals.wireprotocol`, command `batch` */
export function encodeBatch(commands: readonly BatchedCommand[]): string {
  return commands
    .map(({ command, args }) => {
      const pairs = Object.keys(args).map((name) => `${escapeBatch(name)}=${escapeBatch(args[name])}`);
      return `${command} ${pairs.join(',')}`;
    })
    .join(';');
}

/** The answers to `count` commands of a batch. @throws `protocol` when there are not as many. */
export function decodeBatch(answer: string, count: number): string[] {
  const results = answer.split(';').map(unescapeBatch);
  if (results.length !== count) {
    throw protocolError(l10n.t('The server answered {0} of {1} batched commands.', results.length, count), {
      subject: 'batch',
    });
  }
  return results;
}

/** The commands of a `batch`: the reverse of {@link encodeBatch}. @throws `protocol` for an argument without a value */
export function decodeBatchedCommands(cmds: string): BatchedCommand[] {
  return cmds.split(';').map((line) => {
    const [, command, pairs] = /^([^ ]*) ?([^]*)$/.exec(line) ?? ['', '', ''];
    const args = pairs
      .split(',')
      .filter(Boolean)
      .map((pair) => {
        const equals = pair.indexOf('=');
        if (equals >= 0) return [unescapeBatch(pair.slice(0, equals)), unescapeBatch(pair.slice(equals + 1))];
        throw protocolError(
          l10n.t('The batch has an argument without a value: {0}.', JSON.stringify(pair.slice(0, 60))),
        );
      });
    return { command, args: Object.fromEntries(args) as WireArguments };
  });
}

/** The answers to the commands of a batch as one. */
export function encodeBatchAnswers(answers: readonly string[]): string {
  return answers.map(escapeBatch).join(';');
}

function escapeBatch(text: string): string {
  return text.replace(/[:,;=]/g, (character) => escapes[character]);
}

function unescapeBatch(text: string): string {
  return text.replace(/:([cose])/g, (_all, letter: string) => unescapes[letter]);
}
