import * as l10n from '@vscode/l10n';
import { corruptError } from '../io/errors';
import { nodeAt, type Node } from '../revlog/node';

/** The phases, by the numbers that Mercurial gives them. */
export const phases = { public: 0, draft: 1, secret: 2, archived: 32, internal: 96 } as const;

/** One head and the phase that it and its ancestors have at the most. */
export interface PhaseHead {
  phase: number;
  node: Node;
}

const entryLength = 24;

/**
 * Parses the payload of a `phase-heads` part: entries of a 4-byte big-endian phase and a 20-byte node.
 * @throws `corrupt` when the length is no multiple of 24.
 */
export function parsePhaseHeads(payload: Uint8Array): PhaseHead[] {
  if (payload.length % entryLength !== 0) {
    throw corruptError(l10n.t('A phase-heads part of {0} bytes is no list of phases and nodes.', payload.length), {
      subject: 'phase-heads',
    });
  }
  const view = new DataView(payload.buffer, payload.byteOffset, payload.length);
  return Array.from({ length: payload.length / entryLength }, (_, index) => ({
    phase: view.getInt32(index * entryLength),
    node: nodeAt(payload, index * entryLength + 4),
  }));
}
