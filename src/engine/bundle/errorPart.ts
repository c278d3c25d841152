import * as l10n from '@vscode/l10n';
import { protocolError, unsupportedError } from '../io/errors';
import { printable } from '../io/printable';
import type { Bundle2Part } from './bundle2Reader';

/** Throws what an `error:*` part says, in the server's words; returns for any other part. */
export function throwErrorPart(part: Bundle2Part): void {
  const { type, parameters } = part;
  if (type === 'error:abort') {
    const message = printable(parameters.get('message') ?? l10n.t('no reason given'));
    const hint = parameters.get('hint');
    throw protocolError(l10n.t('The server gave up: {0}.', message), { advice: hint && printable(hint) });
  }
  if (type === 'error:unsupportedcontent') {
    const wanted = [parameters.get('parttype'), parameters.get('params')].filter(Boolean).join(', ');
    throw unsupportedError(l10n.t('The server does not know a part of the request: {0}.', printable(wanted)), {
      subject: wanted,
    });
  }
  if (type.startsWith('error:'))
    throw protocolError(l10n.t('The server gave up: {0}.', printable(type)), { subject: type });
}
