import * as l10n from '@vscode/l10n';
import { html, nothing, type TemplateResult } from 'lit';
import { styled } from '../shared/styled';
import { bytesInWords, numberInWords } from '../shared/words';
import type { ReportTable } from './reportTable';
import { rowNameOf } from './rowName';
import type { Link, Strip } from './strip';

/** What can be done from a strip. */
export interface StripActions {
  pick: (row: number) => void;
  openText?: (row: number) => void;
  reveal?: (row: number) => void;
}

/** A chain as a row of its links, each as wide as its bytes; the arrow keys go from link to link. */
export function stripView(table: ReportTable, strip: Strip, actions: StripActions): TemplateResult {
  const title = rowTitle(table, strip.row);
  return html`<h3>${title}</h3>
    <p>
      ${deltasInWords(strip.length - 1)} ${costView(strip)}
      ${
        actions.openText === undefined
          ? nothing
          : html`<button class="link" @click=${() => actions.openText?.(strip.row)}>${l10n.t('Open text')}</button>`
      }
      ${
        actions.reveal === undefined
          ? nothing
          : html`<button class="link" @click=${() => actions.reveal?.(strip.row)}>
              ${l10n.t('Show in Delta chains')}
            </button>`
      }
    </p>
    <div
      class="strip"
      role="listbox"
      aria-label=${l10n.t('Chain of {0}, whole text first', title)}
      aria-orientation="horizontal"
      @keydown=${move}
    >
      ${strip.links.map((link, at) => linkView(table, link, at === strip.links.length - 1, actions))}
    </div>
    <p class="link-detail" aria-live="polite" .textContent=${linkWords(table, strip.links[strip.links.length - 1])}></p>
    <p class="spoken">
      ${l10n.t('Chain of {0}: use the arrow keys to go along it, Enter to show one.', rowNameOf(table.head).many)}
    </p>`;
}

function deltasInWords(deltas: number): string {
  if (deltas === 0) return l10n.t('Stored whole.');
  return deltas === 1
    ? l10n.t('A whole text and 1 delta.')
    : l10n.t('A whole text and {0} deltas.', numberInWords(deltas));
}

/** What building a text reads, the bytes set off from the rest: each language has its own place for them. */
function costView({ readBytes, reads, bytes, text }: Strip): TemplateResult {
  const [before, after] = l10n
    .t(
      "Building it reads {0} in {1}, {2} of them the chain's, for {3} of text.",
      '{0}',
      reads === 1 ? l10n.t('1 read') : l10n.t('{0} reads', numberInWords(reads)),
      bytesInWords(bytes),
      bytesInWords(Math.max(0, text)),
    )
    .split('{0}');
  return html`${before}<strong>${bytesInWords(readBytes)}</strong>${after}`;
}

function linkView(table: ReportTable, link: Link, isLast: boolean, { pick }: StripActions): TemplateResult {
  const { deltaKind } = table.head.roles;
  const kind = table.value(deltaKind, link.row);
  const words = linkWords(table, link);
  return html`<div
    role="option"
    class="chain-link kind-${kind % 8}"
    ${styled({ 'flex-grow': String(Math.max(1, link.bytes)) })}
    tabindex=${isLast ? 0 : -1}
    aria-selected=${isLast}
    aria-label=${words}
    title=${words}
    data-row=${link.row}
    @focus=${(event: FocusEvent) => tell(event, words)}
    @mouseenter=${(event: MouseEvent) => tell(event, words)}
    @click=${() => pick(link.row)}
    @keydown=${(event: KeyboardEvent) => event.key === 'Enter' && pick(link.row)}
  ></div>`;
}

/** What a link is: base, kind of delta, bytes, compression. */
export function linkWords(table: ReportTable, { row, bytes, links }: Link): string {
  if (links > 1) return l10n.t('{0} links, {1}', numberInWords(links), bytesInWords(bytes));
  const { base, compression, deltaKind } = table.head.roles;
  const against = table.value(base, row);
  const kind = choiceOf(table, deltaKind, row);
  return [
    rowTitle(table, row),
    against < 0 ? kind : l10n.t('{0}, against {1}', kind, numberInWords(against)),
    bytesInWords(bytes),
    compression === undefined ? '' : choiceOf(table, compression, row),
  ]
    .filter(Boolean)
    .join(' · ');
}

function rowTitle(table: ReportTable, row: number): string {
  const named = table.head.columns.find(({ format }) => format === 'name');
  const number = `${rowNameOf(table.head).one} ${numberInWords(row)}`;
  const title = named === undefined ? number : `${number} (${table.name(named, row, 12)})`;
  return title.charAt(0).toUpperCase() + title.slice(1);
}

function choiceOf(table: ReportTable, key: string, row: number): string {
  return table.column(key).choices?.at(table.value(key, row)) ?? '';
}

function tell(event: Event, words: string): void {
  const strip = (event.currentTarget as HTMLElement).parentElement;
  const detail = strip?.parentElement?.querySelector('.link-detail');
  if (detail) detail.textContent = words;
}

function move(event: KeyboardEvent): void {
  const strip = event.currentTarget as HTMLElement;
  const links = [...strip.children] as HTMLElement[];
  const at = links.indexOf(event.target as HTMLElement);
  const steps: Record<string, number | undefined> = {
    ArrowRight: at + 1,
    ArrowLeft: at - 1,
    Home: 0,
    End: links.length - 1,
    PageDown: at + 50,
    PageUp: at - 50,
  };
  const target = steps[event.key];
  if (target === undefined) return;
  event.preventDefault();
  const next = links[Math.min(links.length - 1, Math.max(0, target))];
  for (const link of links) link.tabIndex = -1;
  next.tabIndex = 0;
  next.focus();
  next.scrollIntoView({ block: 'nearest', inline: 'nearest' });
}
