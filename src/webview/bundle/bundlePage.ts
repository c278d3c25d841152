import '@vscode-elements/elements/dist/vscode-button/index.js';
import '@vscode-elements/elements/dist/vscode-textfield/index.js';
import * as l10n from '@vscode/l10n';
import { html, nothing, render, type TemplateResult } from 'lit';
import type { BundledPart, BundlePageState, BundleShown, FromBundle, ToBundle } from '../../protocol/bundlePage';
import { figuresView } from '../shared/figures';
import type { EditorHost } from '../shared/host';
import { sharesView } from '../report/sharesView';
import { bytesInWords, numberInWords } from '../shared/words';
import { changesetsView } from './changesetsView';
import { figuresOf, kindInWords, matches, partInWords } from './words';

export type BundleHost = EditorHost<{ received: ToBundle; sent: FromBundle; state: BundlePageState }>;

/** So many changesets are drawn at first, and more whenever a person wants them. */
const drawnAtOnce = 200;

/** The page of a bundle file: what it is, its parts, its changesets. */
export class BundlePage {
  private message: ToBundle = { type: 'progress', done: 0, total: undefined };
  private filter: string;
  private drawn = drawnAtOnce;

  constructor(
    private readonly place: HTMLElement,
    private readonly host: BundleHost,
  ) {
    this.filter = host.state?.filter ?? '';
    host.onMessage((message) => {
      this.message = message;
      this.update();
      if (message.type === 'contents') window.scrollTo({ top: host.state?.scrollTop ?? 0 });
    });
    window.addEventListener('scroll', () => this.remember());
    this.update();
    host.send({ type: 'ready' });
  }

  private update(): void {
    render(this.view(), this.place);
  }

  private view(): TemplateResult {
    const { message } = this;
    if (message.type === 'contents') return this.contentsView(message.contents);
    if (message.type === 'failed') {
      return html`<p role="alert">${message.message} ${message.advice ?? nothing}</p>
        <vscode-button secondary icon="refresh" @click=${() => this.host.send({ type: 'retry' })}
          >${l10n.t('Retry')}</vscode-button
        >`;
    }
    const { done, total } = message;
    const words =
      total === undefined
        ? l10n.t('Reading …')
        : l10n.t('Reading … {0} of {1}', bytesInWords(done), bytesInWords(total));
    return html`<p role="status">${words}</p>`;
  }

  private contentsView(contents: BundleShown): TemplateResult {
    const { title, path, fault, stream } = contents;
    return html`<header>
        <h1>${title}</h1>
        <p class="path">${path}</p>
        <p role="status">${kindInWords(contents)}</p>
        ${
          fault === undefined
            ? nothing
            : html`<p role="alert">
                <span class="codicon codicon-error" aria-hidden="true"></span
                >${l10n.t('It could not be read to its end: {0}', fault)}
              </p>`
        }
        ${
          stream === undefined
            ? html`<p class="actions">
                <vscode-button icon="archive" @click=${() => this.host.send({ type: 'apply' })}
                  >${l10n.t('Apply to a repository')}</vscode-button
                >
              </p>`
            : html`<p class="hint">
                ${l10n.t('A copy of a store: it can be cloned, not applied. It demands {0}.', stream.requirements.join(', '))}
              </p>`
        }
      </header>
      ${figuresView(figuresOf(contents))}${partsView(contents)}${sizesView(contents)}${this.historyView(contents)}`;
  }

  private historyView(contents: BundleShown): TemplateResult | typeof nothing {
    const { history, changesets, unreadable } = contents;
    if (history === undefined) return nothing;
    const found = this.filter.trim() === '' ? changesets : changesets.filter((one) => matches(one, this.filter.trim()));
    const shown = found.slice(0, this.drawn);
    return html`<section aria-labelledby="changesets-title">
      <h2 id="changesets-title">${l10n.t('Changesets')}</h2>
      ${
        unreadable.length === 0
          ? nothing
          : html`<p>
              <span class="codicon codicon-info" aria-hidden="true"></span>${l10n.t(
                '{0} cannot be read here: they build on changesets of a repository that is not open.',
                numberInWords(unreadable.length),
              )}
            </p>`
      }
      <p class="filter">
        <vscode-textfield
          id="filter"
          label=${l10n.t('Filter')}
          aria-label=${l10n.t('Filter changesets')}
          placeholder=${l10n.t('Filter by words, author, branch or node')}
          .value=${this.filter}
          @input=${(event: Event) => this.filterBy((event.target as HTMLInputElement).value)}
        ></vscode-textfield>
        <span role="status"
          >${l10n.t('{0} of {1}', numberInWords(found.length), numberInWords(history.changesets))}</span
        >
      </p>
      ${changesetsView(shown, (text) => this.host.send({ type: 'copy', text }))}
      ${
        found.length > shown.length
          ? html`<vscode-button secondary @click=${() => this.drawMore()}
              >${l10n.t('Show more: {0} are left', numberInWords(found.length - shown.length))}</vscode-button
            >`
          : nothing
      }
    </section>`;
  }

  private filterBy(filter: string): void {
    this.filter = filter;
    this.drawn = drawnAtOnce;
    this.remember();
    this.update();
  }

  private drawMore(): void {
    this.drawn += drawnAtOnce;
    this.update();
  }

  private remember(): void {
    this.host.state = { filter: this.filter, scrollTop: window.scrollY };
  }
}

function partsView(contents: BundleShown): TemplateResult {
  return html`<section aria-labelledby="parts-title">
    <h2 id="parts-title">${l10n.t('Parts')}</h2>
    ${
      contents.parameters.length === 0
        ? nothing
        : html`<p class="hint">
            ${l10n.t('Of the whole: {0}', contents.parameters.map(({ name, value }) => `${name}=${value}`).join(' '))}
          </p>`
    }
    <div class="wide" tabindex="0" role="group" aria-label=${l10n.t('Table of parts')}>
      <table class="rows">
        <thead>
          <tr>
            <th scope="col">${l10n.t('Part')}</th>
            <th scope="col" class="number">${l10n.t('Bytes')}</th>
            <th scope="col">${l10n.t('Must be understood')}</th>
            <th scope="col">${l10n.t('Holds')}</th>
            <th scope="col">${l10n.t('Parameters')}</th>
          </tr>
        </thead>
        <tbody>
          ${contents.parts.map(
            (part) =>
              html`<tr>
                <th scope="row">${part.type}</th>
                <td class="number">${bytesInWords(part.bytes)}</td>
                <td>${part.mandatory ? l10n.t('yes') : l10n.t('no')}</td>
                <td>${partInWords(part.type, contents)}</td>
                <td>${parametersOf(part)}</td>
              </tr>`,
          )}
        </tbody>
      </table>
    </div>
  </section>`;
}

function parametersOf({ parameters }: BundledPart): TemplateResult[] {
  return parameters.map(({ name, value }) => html`<code>${name}=${value}</code> `);
}

function sizesView({ history }: BundleShown): TemplateResult | typeof nothing {
  if (history === undefined) return nothing;
  const { changesets, changesetBytes, manifests, manifestBytes, fileRevisions, fileBytes, largest } = history;
  const kinds = [
    { name: l10n.t('Changesets'), rows: changesets, bytes: changesetBytes },
    { name: l10n.t('Manifests'), rows: manifests, bytes: manifestBytes },
    { name: l10n.t('Files'), rows: fileRevisions, bytes: fileBytes },
  ];
  const files = largest.slice(0, 10).map(({ path, revisions, bytes }) => ({ name: path, rows: revisions, bytes }));
  return html`<section aria-labelledby="sizes-title">
    <h2 id="sizes-title" class="spoken">${l10n.t('Sizes')}</h2>
    <div class="pictures">
      <div class="figure">${sharesView(l10n.t('What the deltas are for'), kinds, l10n.t('Revisions'))}</div>
      <div class="figure">
        ${sharesView(l10n.t('Files with most bytes'), files, l10n.t('Revisions'), l10n.t('File'))}
      </div>
    </div>
  </section>`;
}
