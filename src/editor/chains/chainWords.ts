import { l10n } from 'vscode';
import type { ChunkKind } from '../../engine/compression/block';
import type { DeltaType } from '../../engine/revlog/chainColumns';
import type { Finding } from '../../engine/survey/finding';
import type { Health } from './health';
import type { RevlogOrder } from './revlogOrder';
import { numberInWords } from '../words';

/** Health in a word, because no colour says it alone. */
export function healthInWords(health: Health): string {
  switch (health) {
    case 'healthy':
      return l10n.t('healthy');
    case 'notable':
      return l10n.t('worth knowing');
    case 'costly':
      return l10n.t('costly');
    case 'damaged':
      return l10n.t('damaged');
  }
}

export function orderInWords(order: RevlogOrder): string {
  switch (order) {
    case 'size':
      return l10n.t('by size');
    case 'waste':
      return l10n.t('by waste');
    case 'longestChain':
      return l10n.t('by longest chain');
  }
}

/** What a revision is stored as. */
export function deltaInWords(type: DeltaType, base: number): string {
  switch (type) {
    case 'base':
      return l10n.t('whole text');
    case 'snap':
      return l10n.t('snapshot, delta of {0}', base);
    case 'p1':
      return l10n.t('delta of its first parent {0}', base);
    case 'p2':
      return l10n.t('delta of its second parent {0}', base);
    case 'skip1':
    case 'skip2':
    case 'prev':
    case 'other':
      return l10n.t('delta of {0}', base);
    case 'broken':
      return l10n.t('damaged: its base cannot be');
  }
}

/** How a chunk is compressed. */
export function compressionInWords(kind: ChunkKind | undefined): string {
  return kind === 'stored' || kind === 'whole' ? l10n.t('not compressed') : (kind ?? '');
}

export function revisionsInWords(count: number): string {
  return count === 1 ? l10n.t('1 revision') : l10n.t('{0} revisions', numberInWords(count));
}

export function objectsInWords(count: number): string {
  return count === 1 ? l10n.t('1 object') : l10n.t('{0} objects', numberInWords(count));
}

export function deltasInWords(count: number): string {
  return count === 1 ? l10n.t('1 delta long') : l10n.t('{0} deltas long', numberInWords(count));
}

/** Findings as a list in Markdown, each with what can be done. Their words are escaped: names are not ours. */
export function findingsInMarkdown(findings: readonly Finding[], most = 10): string {
  const lines = findings.slice(0, most).map(({ message, nextStep, severity }) => {
    const step = nextStep === undefined ? '' : `  \n  → ${escape(nextStep)}`;
    return `- $(${severity}) ${escape(message)}${step}`;
  });
  if (findings.length > most) lines.push(`- ${l10n.t('{0} more', findings.length - most)}`);
  return lines.join('\n');
}

/** Text as Markdown that shows as it is. */
export function escape(text: string): string {
  return text.replace(/[\\`*_{}[\]()#+\-.!|<>~$&]/g, '\\$&').replace(/\s+/g, ' ');
}
