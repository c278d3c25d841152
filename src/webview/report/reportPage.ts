import '@vscode-elements/elements/dist/vscode-button/index.js';
import '@vscode-elements/elements/dist/vscode-progress-bar/index.js';
import '@vscode-elements/elements/dist/vscode-textfield/index.js';
import * as l10n from '@vscode/l10n';
import { html, nothing, render, type TemplateResult } from 'lit';
import type { FromReport, Numbers, ReportHead, ReportState, ToReport } from '../../protocol/chainReport';
import type { EditorHost } from '../shared/host';
import { onThemeChange } from '../shared/theme';
import { numberInWords } from '../shared/words';
import { shares } from './downsample';
import { filterRows, parseFilter } from './filterRows';
import { Grid, type Sort } from './grid';
import { headView } from './headView';
import { draw, picturesOf, type Picture } from './pictures';
import { ReportTable } from './reportTable';
import { rowNameOf } from './rowName';
import { sharesView } from './sharesView';
import { sortRows } from './sortRows';
import { stripOf } from './strip';
import { stripView } from './stripView';

export type ReportHost = EditorHost<{ received: ToReport; sent: FromReport; state: ReportState }>;

/** The page of a chain report: what came of it so far, and what the person has chosen to see. */
export class ReportPage {
  private head: ReportHead | undefined;
  private columns = new Map<string, Numbers>();
  private table: ReportTable | undefined;
  private pictures: Picture[] = [];
  private grid: Grid | undefined;
  private failure: { message: string; advice: string | undefined } | undefined;
  private progress: { done: number; total: number | undefined } = { done: 0, total: undefined };
  private state: ReportState | undefined;
  private filterFault: string | undefined;
  private plots: { destroy: () => void }[] = [];
  /** A row to show as soon as the rows are there. */
  private wanted: number | undefined;

  constructor(
    private readonly place: HTMLElement,
    private readonly host: ReportHost,
  ) {
    this.state = host.state;
    host.onMessage((message) => this.receive(message));
    onThemeChange(() => this.drawPictures());
    new ResizeObserver(() => this.drawPictures()).observe(place);
    this.update();
    host.send({ type: 'ready' });
  }

  private receive(message: ToReport): void {
    switch (message.type) {
      case 'progress':
        this.progress = message;
        break;
      case 'head':
        this.begin(message.head);
        break;
      case 'column':
        this.columns.set(message.key, message.values);
        return;
      case 'complete':
        this.complete();
        return;
      case 'failed':
        this.failure = message;
        break;
      case 'pick':
        if (this.table === undefined) this.wanted = message.row;
        else this.pick(message.row);
        return;
    }
    this.update();
  }

  private begin(head: ReportHead): void {
    this.head = head;
    this.columns = new Map();
    this.table = this.grid = this.failure = undefined;
    this.state ??= { subject: head.subject, picked: undefined, filter: '', sort: undefined, scrollTop: 0 };
    this.keep({ subject: head.subject });
  }

  private complete(): void {
    if (this.head === undefined) return;
    this.table = new ReportTable(this.head, this.columns);
    this.pictures = picturesOf(this.table);
    this.update();
    const scrollTop = this.state?.scrollTop ?? 0;
    const place = this.place.querySelector<HTMLElement>('#grid');
    if (place === null) return;
    this.grid = new Grid(place, this.table, {
      pick: (row) => this.pick(row),
      sort: (key) => this.sortBy(key),
      copy: (text) => this.host.send({ type: 'copy', text }),
      scrolled: (top) => this.keep({ scrollTop: top }),
    });
    this.showRows();
    this.drawPictures();
    const row = this.wanted ?? this.state?.picked;
    if (row !== undefined && row < this.table.count) this.pick(row);
    this.grid.scrollTo(scrollTop);
    this.wanted = undefined;
  }

  private pick(row: number): void {
    if (this.table === undefined || row < 0 || row >= this.table.count) return;
    this.keep({ picked: row });
    this.update();
    this.grid?.mark(row);
    // The row's own link is the last of its chain.
    const strip = this.place.querySelector('.strip');
    if (strip !== null) strip.scrollLeft = strip.scrollWidth;
  }

  private sortBy(key: string): void {
    const before = this.state?.sort;
    const sort: Sort | undefined =
      before?.key !== key ? { key, descending: false } : before.descending ? undefined : { key, descending: true };
    this.keep({ sort });
    this.showRows();
  }

  private filterBy(filter: string): void {
    this.keep({ filter });
    this.showRows();
  }

  private showRows(): void {
    if (this.table === undefined || this.state === undefined) return;
    const { filter, sort } = this.state;
    const parsed = parseFilter(filter, this.table);
    this.filterFault = 'fault' in parsed ? parsed.fault : undefined;
    // What is not understood yet leaves the rows as they are.
    const tests = 'tests' in parsed ? parsed.tests : [];
    const rows = filterRows(this.table.count, tests);
    const isByName = sort !== undefined && this.table.column(sort.key).format === 'name';
    const sorted = sort === undefined || isByName ? rows : sortRows(rows, this.table.values(sort.key), sort.descending);
    this.shown = rows.length;
    this.update();
    this.grid?.show(sorted, sort);
  }

  private shown = 0;

  private keep(change: Partial<ReportState>): void {
    if (this.state === undefined) return;
    this.state = { ...this.state, ...change };
    this.host.state = this.state;
  }

  private drawPictures(): void {
    for (const plot of this.plots) plot.destroy();
    this.plots = this.pictures.flatMap((picture) => {
      const place = this.place.querySelector<HTMLElement>(`#picture-${picture.id}`);
      return place === null ? [] : [draw(picture, place, (row) => this.pick(row))];
    });
  }

  private update(): void {
    render(this.view(), this.place);
  }

  private view(): TemplateResult {
    if (this.failure !== undefined) return this.failureView(this.failure);
    if (this.head === undefined) return this.progressView();
    const { head, table } = this;
    return html`${headView(head, (row) => this.pick(row))}
    ${
      table === undefined
        ? this.progressView()
        : table.count === 0
          ? html`<p>${l10n.t('There is nothing in it yet.')}</p>`
          : html`${this.picturesView(table)}${this.chainView(table)}${this.tableView(head)}`
    }`;
  }

  private failureView({ message, advice }: { message: string; advice: string | undefined }): TemplateResult {
    return html`<div class="failure" role="alert">
      <h1><span class="codicon codicon-error" aria-hidden="true"></span>${l10n.t('This could not be read')}</h1>
      <p>${message}</p>
      ${advice === undefined ? nothing : html`<p>${advice}</p>`}
      <vscode-button @click=${() => this.retry()}>${l10n.t('Try again')}</vscode-button>
    </div>`;
  }

  private retry(): void {
    this.failure = undefined;
    this.progress = { done: 0, total: undefined };
    this.update();
    this.host.send({ type: 'retry' });
  }

  private progressView(): TemplateResult {
    const { done, total } = this.progress;
    const words =
      total === undefined
        ? l10n.t('Reading …')
        : l10n.t('Reading … {0} of {1}', numberInWords(done), numberInWords(total));
    return html`<div class="reading" role="status">
      <vscode-progress-bar
        aria-label=${l10n.t('Reading')}
        ?indeterminate=${total === undefined}
        .value=${done}
        .max=${total ?? 1}
      ></vscode-progress-bar>
      <p>${words}</p>
    </div>`;
  }

  private picturesView(table: ReportTable): TemplateResult {
    const { roles } = table.head;
    const { many } = rowNameOf(table.head);
    const bytes = table.values(roles.stored);
    const kinds = [
      { caption: l10n.t('Kinds of delta'), key: roles.deltaKind },
      { caption: l10n.t('Compression'), key: roles.compression },
    ].filter((kind): kind is { caption: string; key: string } => table.has(kind.key));
    return html`<section aria-labelledby="pictures-title">
      <h2 id="pictures-title" class="spoken">${l10n.t('Pictures')}</h2>
      <div class="pictures">
        ${this.pictures.map(
          ({ id, title, alternative }) =>
            html`<figure>
              <figcaption>${title}</figcaption>
              <div id="picture-${id}" class="picture" role="img" aria-label=${alternative}></div>
            </figure>`,
        )}
        ${kinds.map(
          ({ caption, key }) =>
            html`<div class="figure">
              ${sharesView(caption, shares(table.values(key), bytes, table.column(key).choices ?? []), many)}
            </div>`,
        )}
      </div>
    </section>`;
  }

  private chainView(table: ReportTable): TemplateResult {
    const row = this.state?.picked;
    const canOpen = table.head.subject.kind === 'revlog';
    return html`<section class="chain" aria-labelledby="chain-title">
      <h2 id="chain-title">${l10n.t('A chain, link by link')}</h2>
      ${
        row === undefined || row >= table.count
          ? html`<p class="hint">
              ${l10n.t('Choose a {0} in a picture or in the table to see its chain.', rowNameOf(table.head).one)}
            </p>`
          : stripView(table, stripOf(table, row), {
              pick: (link) => this.pick(link),
              openText: canOpen ? (at) => this.host.send({ type: 'openText', row: at }) : undefined,
              reveal: canOpen ? (at) => this.host.send({ type: 'reveal', row: at }) : undefined,
            })
      }
    </section>`;
  }

  private tableView(head: ReportHead): TemplateResult {
    const fault = this.filterFault;
    return html`<section class="rows" aria-labelledby="rows-title">
      <div class="rows-head">
        <h2 id="rows-title">${l10n.t('All {0}', rowNameOf(head).many)}</h2>
        <vscode-textfield
          id="filter"
          label=${l10n.t('Filter')}
          aria-label=${l10n.t('Filter: conditions such as {0}>100', head.roles.chainLength)}
          placeholder=${l10n.t('Filter, such as {0}>100 {1}>=10k', head.roles.chainLength, head.roles.stored)}
          .value=${this.state?.filter ?? ''}
          ?invalid=${fault !== undefined}
          @input=${(event: Event) => this.filterBy((event.target as HTMLInputElement).value)}
        ></vscode-textfield>
        <vscode-button secondary icon="export" @click=${() => this.host.send({ type: 'export' })}
          >${l10n.t('Export')}</vscode-button
        >
        <span class="count" role="status"
          >${fault ?? l10n.t('{0} of {1}', numberInWords(this.shown), numberInWords(head.count))}</span
        >
      </div>
      <div id="grid"></div>
    </section>`;
  }
}
