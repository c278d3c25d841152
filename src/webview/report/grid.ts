import * as l10n from '@vscode/l10n';
import {
  elementScroll,
  observeElementOffset,
  observeElementRect,
  Virtualizer,
  type VirtualItem,
  type VirtualizerOptions,
} from '@tanstack/virtual-core';
import { html, nothing, render, type TemplateResult } from 'lit';
import type { ReportColumn } from '../../protocol/chainReport';
import { styled } from '../shared/styled';
import { decimalInWords, numberInWords } from '../shared/words';
import type { ReportTable } from './reportTable';
import { rowNameOf } from './rowName';

export const rowHeight = 22;
/** The browser draws no element higher than some 33 million pixels. */
const mostRows = 1_500_000;

/** How the table is sorted. */
export interface Sort {
  key: string;
  descending: boolean;
}

/** What happens in the table. */
export interface GridActions {
  pick: (row: number) => void;
  sort: (key: string) => void;
  copy: (text: string) => void;
  scrolled: (top: number) => void;
}

type Options = VirtualizerOptions<HTMLElement, HTMLElement>;

/**
 * The table: only the rows that are on the screen are elements. A grid for screen readers and the keyboard: the arrow
 * keys, Page Up and Down, Home and End move through it, Enter shows a row's chain, Ctrl+C copies it.
 */
export class Grid {
  private readonly scroller: HTMLElement;
  private readonly virtualizer: Virtualizer<HTMLElement, HTMLElement>;
  private rows: Uint32Array = new Uint32Array(0);
  private total = 0;
  private sort: Sort | undefined;
  /** Place in the table, from 0, and column that the keyboard is at; -1 is the head. */
  private focus = { place: -1, column: 0 };
  private picked: number | undefined;

  constructor(
    element: HTMLElement,
    private readonly table: ReportTable,
    private readonly actions: GridActions,
  ) {
    render(html`<div class="grid-scroller" @scroll=${() => this.tellScroll()}></div>`, element);
    this.scroller = element.querySelector<HTMLElement>('.grid-scroller') ?? element;
    this.virtualizer = new Virtualizer(this.options());
    // Its own life-cycle, which frameworks call for it otherwise.
    this.virtualizer._didMount();
    this.virtualizer._willUpdate();
  }

  /** Shows these rows, in this order. */
  show(rows: Uint32Array, sort: Sort | undefined): void {
    this.rows = rows.subarray(0, mostRows);
    this.total = rows.length;
    this.sort = sort;
    this.focus.place = Math.min(this.focus.place, this.rows.length - 1);
    this.virtualizer.setOptions(this.options());
    this.virtualizer._willUpdate();
    this.draw();
  }

  /** Marks a row, and brings it into sight where it is in the table. */
  mark(row: number): void {
    this.picked = row;
    const place = this.rows.indexOf(row);
    if (place >= 0) {
      this.focus.place = place;
      this.virtualizer.scrollToIndex(place, { align: 'auto' });
    }
    this.draw();
  }

  scrollTo(top: number): void {
    this.scroller.scrollTop = top;
  }

  private options(): Options {
    return {
      count: this.rows.length,
      getScrollElement: () => this.scroller,
      estimateSize: () => rowHeight,
      overscan: 8,
      scrollPaddingStart: rowHeight,
      observeElementRect,
      observeElementOffset,
      scrollToFn: elementScroll,
      onChange: () => this.draw(),
    };
  }

  private draw(): void {
    const { columns } = this.table.head;
    const items = this.virtualizer.getVirtualItems();
    const shown = this.rows.length;
    render(
      html`<div
          class="grid"
          role="grid"
          aria-label=${l10n.t('All {0}', rowNameOf(this.table.head).many)}
          aria-rowcount=${this.total + 1}
          aria-colcount=${columns.length}
          ${styled({ height: `${this.virtualizer.getTotalSize() + rowHeight}px` })}
          @keydown=${(event: KeyboardEvent) => this.onKey(event)}
          @click=${(event: MouseEvent) => this.onClick(event)}
          @focusin=${(event: FocusEvent) => this.follow(event)}
        >
          <div class="grid-head" role="row" aria-rowindex="1">
            ${columns.map((column, at) => this.headCell(column, at))}
          </div>
          ${items.map((item) => this.row(item))}
        </div>
        ${
          this.total > shown
            ? html`<p class="grid-note">
                ${l10n.t(
                  'The first {0} of {1} are shown. Sort or filter to see others.',
                  numberInWords(shown),
                  numberInWords(this.total),
                )}
              </p>`
            : nothing
        }`,
      this.scroller,
    );
  }

  private headCell(column: ReportColumn, at: number): TemplateResult {
    const isSorted = this.sort?.key === column.key;
    const order = this.sort?.descending === true ? 'descending' : 'ascending';
    return html`<div
      role="columnheader"
      class=${`cell ${column.format}`}
      aria-sort=${isSorted ? order : 'none'}
      aria-colindex=${at + 1}
      data-key=${column.key}
      tabindex=${this.focus.place < 0 && this.focus.column === at ? 0 : -1}
      title="${column.description} (${column.key})"
    >
      ${column.label}${
        isSorted
          ? html`<span
              class="codicon codicon-${order === 'ascending' ? 'arrow-small-up' : 'arrow-small-down'}"
              aria-hidden="true"
            ></span>`
          : nothing
      }
    </div>`;
  }

  private row({ index, start }: VirtualItem): TemplateResult {
    const row = this.rows[index];
    const isPicked = row === this.picked;
    return html`<div
      role="row"
      class=${isPicked ? 'grid-row picked' : 'grid-row'}
      aria-rowindex=${index + 2}
      aria-selected=${isPicked}
      data-place=${index}
      ${styled({ transform: `translateY(${start + rowHeight}px)` })}
    >
      ${this.table.head.columns.map(
        (column, at) =>
          html`<div
            role="gridcell"
            class=${`cell ${column.format}`}
            aria-colindex=${at + 1}
            tabindex=${this.focus.place === index && this.focus.column === at ? 0 : -1}
          >
            ${cellText(this.table, column, row)}
          </div>`,
      )}
    </div>`;
  }

  private onClick(event: MouseEvent): void {
    const cell = this.follow(event);
    if (cell === null) return;
    const key = cell.dataset.key;
    if (key !== undefined) this.actions.sort(key);
    else this.actions.pick(this.rows[this.focus.place]);
  }

  /** However a cell was reached, the arrow keys go on from there. */
  private follow(event: Event): HTMLElement | null {
    const cell = (event.target as HTMLElement).closest<HTMLElement>('[role=columnheader], [role=gridcell]');
    if (cell !== null) {
      const place = cell.dataset.key === undefined ? Number(cell.parentElement?.dataset.place) : -1;
      this.focus = { place, column: Number(cell.getAttribute('aria-colindex')) - 1 };
    }
    return cell;
  }

  private onKey(event: KeyboardEvent): void {
    const { place, column } = this.focus;
    const page = Math.max(1, Math.floor(this.scroller.clientHeight / rowHeight) - 2);
    const last = this.rows.length - 1;
    const widest = this.table.head.columns.length - 1;
    const whole = event.ctrlKey || event.metaKey;
    switch (event.key) {
      case 'ArrowDown': {
        this.moveTo(event, place + 1, column);
        return;
      }
      case 'ArrowUp': {
        this.moveTo(event, place - 1, column);
        return;
      }
      case 'PageDown': {
        this.moveTo(event, place + page, column);
        return;
      }
      case 'PageUp': {
        this.moveTo(event, Math.max(0, place - page), column);
        return;
      }
      case 'ArrowRight': {
        this.moveTo(event, place, Math.min(widest, column + 1));
        return;
      }
      case 'ArrowLeft': {
        this.moveTo(event, place, Math.max(0, column - 1));
        return;
      }
      case 'Home': {
        this.moveTo(event, whole ? 0 : place, whole ? column : 0);
        return;
      }
      case 'End': {
        this.moveTo(event, whole ? last : place, whole ? column : widest);
        return;
      }
      case 'Enter':
      case ' ':
        event.preventDefault();
        if (place < 0) this.actions.sort(this.table.head.columns[column].key);
        else this.actions.pick(this.rows[place]);
        return;
      case 'c':
        if (whole && place >= 0) {
          event.preventDefault();
          this.actions.copy(rowAsText(this.table, this.rows[place]));
        }
        return;
    }
  }

  private moveTo(event: KeyboardEvent, place: number, column: number): void {
    event.preventDefault();
    this.focus = { place: Math.min(this.rows.length - 1, Math.max(-1, place)), column };
    if (this.focus.place >= 0) this.virtualizer.scrollToIndex(this.focus.place, { align: 'auto' });
    this.draw();
    // The row may only now be scrolled to and drawn.
    requestAnimationFrame(() => {
      this.draw();
      const cell = this.scroller.querySelector<HTMLElement>('[tabindex="0"]');
      cell?.focus({ preventScroll: this.focus.place >= 0 });
    });
  }

  private tellScroll(): void {
    this.actions.scrolled(this.scroller.scrollTop);
  }
}

/** What stands in a cell. */
export function cellText(table: ReportTable, column: ReportColumn, row: number): string {
  if (column.format === 'name') return table.name(column, row);
  const value = table.value(column.key, row);
  switch (column.format) {
    case 'choice':
      return column.choices?.at(value) ?? '';
    case 'ratio':
      return decimalInWords(value, 3);
    default:
      return numberInWords(value);
  }
}

/** A row for the clipboard: one JSON object with the names of the columns. */
export function rowAsText(table: ReportTable, row: number): string {
  const entries = table.head.columns.map((column) => {
    const isNumber = column.format !== 'name' && column.format !== 'choice';
    return [column.key, isNumber ? table.value(column.key, row) : cellText(table, column, row)];
  });
  return JSON.stringify(Object.fromEntries(entries));
}
