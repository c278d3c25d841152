import * as l10n from '@vscode/l10n';
import type { CompressionName } from '../compression/codec';
import { readableEngines } from '../compression/stream';
import type { Capabilities } from './capabilities';
import type { WireSettings } from './wireSettings';

/**
 * The engines that we let the server choose from, best first. For a stream `none` is always among them: a server that
 * would rather send its store as it is can only do so when we take it.
 */
export function offeredEngines(settings: WireSettings, isStream: boolean): readonly CompressionName[] {
  const offered = settings.compressionPreference ?? readableEngines;
  return isStream && !offered.includes('none') ? [...offered, 'none'] : offered;
}

/** Why a response came in `engine`, as a sentence for people. */
export function reasonForEngine(
  engine: CompressionName,
  isStream: boolean,
  offered: readonly CompressionName[],
  capabilities: Capabilities | undefined,
): string {
  if (engine === 'none') {
    return isStream
      ? l10n.t('stream clone: the server prefers to send it uncompressed')
      : l10n.t('the server prefers to send it uncompressed');
  }
  const common = offered.filter((name) => capabilities?.compressionEngines.includes(name));
  const which =
    engine === offered[0]
      ? l10n.t('the server offers {0}, and it is our first choice', engine)
      : engine === common[0]
        ? l10n.t('{0} is the best that the server has of what we prefer', engine)
        : l10n.t('the server chose {0}', engine);
  return isStream ? l10n.t('stream clone: {0}; it does not send streams uncompressed', which) : which;
}
