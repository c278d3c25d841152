import { html, nothing, type TemplateResult } from 'lit';
import { styled } from '../shared/styled';
import { bytesInWords, numberInWords } from '../shared/words';
import type { ReportTable } from './reportTable';
import type { Link, Strip } from './strip';

/** What can be done from a strip. */
export interface StripActions {
  pick: (row: number) => void;
  openText?: (row: number) => void;
  reveal?: (row: number) => void;
}

/** A chain as a row of its links, each as wide as its bytes; the arrow keys go from link to link. */
export function stripView(table: ReportTable, strip: Strip, actions: StripActions): TemplateResult {
  const { rowName } = table.head;
  const deltas = strip.length - 1;
  const title = rowTitle(table, strip.row);
  return html`<h3>${title}</h3>
    <p>
      ${
        deltas === 0
          ? 'Stored whole.'
          : `A whole text and ${numberInWords(deltas)} ${deltas === 1 ? 'delta' : 'deltas'}.`
      }
      Building it reads <strong>${bytesInWords(strip.readBytes)}</strong> in ${numberInWords(strip.reads)}
      ${strip.reads === 1 ? 'read' : 'reads'}, ${bytesInWords(strip.bytes)} of them the chain's, for
      ${bytesInWords(Math.max(0, strip.text))} of text.
      ${
        actions.openText === undefined
          ? nothing
          : html`<button class="link" @click=${() => actions.openText?.(strip.row)}>Open text</button>`
      }
      ${
        actions.reveal === undefined
          ? nothing
          : html`<button class="link" @click=${() => actions.reveal?.(strip.row)}>Show in Delta chains</button>`
      }
    </p>
    <div
      class="strip"
      role="listbox"
      aria-label="Chain of ${title}, whole text first"
      aria-orientation="horizontal"
      @keydown=${move}
    >
      ${strip.links.map((link, at) => linkView(table, link, at === strip.links.length - 1, actions))}
    </div>
    <p class="link-detail" aria-live="polite" .textContent=${linkWords(table, strip.links[strip.links.length - 1])}></p>
    <p class="spoken">Chain of ${rowName.many}: use the arrow keys to go along it, Enter to show one.</p>`;
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
  if (links > 1) return `${numberInWords(links)} links, ${bytesInWords(bytes)}`;
  const { base, compression, deltaKind } = table.head.roles;
  const against = table.value(base, row);
  const kind = choiceOf(table, deltaKind, row);
  return [
    rowTitle(table, row),
    against < 0 ? kind : `${kind}, against ${numberInWords(against)}`,
    bytesInWords(bytes),
    compression === undefined ? '' : choiceOf(table, compression, row),
  ]
    .filter(Boolean)
    .join(' · ');
}

function rowTitle(table: ReportTable, row: number): string {
  const named = table.head.columns.find(({ format }) => format === 'name');
  const number = `${table.head.rowName.one} ${numberInWords(row)}`;
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
