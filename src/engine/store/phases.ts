import * as l10n from '@vscode/l10n';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { corruptError } from '../io/errors';
import { isNode, nullNode, type Node } from '../revlog/node';

/** One root of a phase: it and its descendants are of that phase at least. */
export interface PhaseRoot {
  /** 1 draft, 2 secret, 32 archived, 96 internal; what no root covers is public. */
  phase: number;
  node: Node;
}

/** What a server says of its phases. */
export interface RemotePhases {
  /** A publishing server's changesets are public, whatever its roots say. */
  publishing: boolean;
  draftRoots: Node[];
}

const phaseNumbers = new Set([1, 2, 32, 96]);

/** Parses a `phaseroots` file: lines of phase number, space, node. @throws `corrupt` for any other line. */
export function parsePhaseRoots(text: string, subject = 'phaseroots'): PhaseRoot[] {
  return text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => {
      const [number, node, ...rest] = line.split(' ');
      if (!phaseNumbers.has(Number(number)) || !isNode(node) || rest.length > 0) {
        throw corruptError(
          l10n.t('{0} has a line that is no phase root: {1}.', subject, JSON.stringify(line.slice(0, 80))),
          {
            subject,
          },
        );
      }
      return { phase: Number(number), node };
    });
}

/** The content of a `phaseroots` file: by phase, then by node. */
export function formatPhaseRoots(roots: readonly PhaseRoot[]): string {
  return [...roots]
    .sort((a, b) => a.phase - b.phase || (a.node < b.node ? -1 : 1))
    .map(({ phase, node }) => `${phase} ${node}\n`)
    .join('');
}

/** Reads `phaseroots`; no file means that all is public. */
export function readPhaseRoots(storeFolder: string): PhaseRoot[] {
  const path = join(storeFolder, 'phaseroots');
  try {
    return parsePhaseRoots(readFileSync(path, 'latin1'), path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw error;
  }
}

/** Writes `phaseroots`. */
export function writePhaseRoots(storeFolder: string, roots: readonly PhaseRoot[]): void {
  writeFileSync(join(storeFolder, 'phaseroots'), formatPhaseRoots(roots));
}

/**
 * The phases in a `listkeys` answer for the namespace `phases`: `publishing` is `True`, every other key a draft root.
 * @throws `corrupt` for a key that is no node
 */
export function phasesOfListkeys(keys: ReadonlyMap<string, string>): RemotePhases {
  const draftRoots: Node[] = [];
  for (const [key, value] of keys) {
    if (key === 'publishing') continue;
    if (!isNode(key))
      throw corruptError(l10n.t('The server gives {0} a phase, which is no node.', JSON.stringify(key)), {
        subject: 'phases',
      });
    if (value === '1' && key !== nullNode) draftRoots.push(key);
  }
  return { publishing: keys.get('publishing') === 'True', draftRoots };
}
