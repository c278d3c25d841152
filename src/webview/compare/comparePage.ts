import '@vscode-elements/elements/dist/vscode-button/index.js';
import * as l10n from '@vscode/l10n';
import { html, nothing, render, type TemplateResult } from 'lit';
import type { CompareReport, FromCompare, PolicyName, StoreStanding, ToCompare } from '../../protocol/compareReport';
import type { EditorHost } from '../shared/host';
import { onThemeChange } from '../shared/theme';
import { decimalInWords, numberInWords } from '../shared/words';
import { costRows, curvesInWords, curvesOf, policyRows, shownHistories } from './compareModel';
import { drawCurves } from './curvePicture';
import { gainsView } from './gainsView';
import { chainsTable, sizesTable } from './policyTables';

/** What the page keeps while it is hidden, and across a reload of the window. */
interface ComparePageState {
  report: CompareReport;
  /** The index of the history whose costs and curves are shown. */
  history: string | undefined;
}

export type CompareHost = EditorHost<{ received: ToCompare; sent: FromCompare; state: ComparePageState }>;

/** The page of a comparison: what each policy would gain and cost, and what to do. */
export class ComparePage {
  private state: ComparePageState | undefined;
  private standing: StoreStanding = { optimize: 'none', isOutdated: false };
  private plot: { destroy: () => void } | undefined;

  constructor(
    private readonly place: HTMLElement,
    private readonly host: CompareHost,
  ) {
    this.state = host.state;
    host.onMessage((message) => this.receive(message));
    onThemeChange(() => this.drawPicture());
    new ResizeObserver(() => this.drawPicture()).observe(place);
    this.update();
    host.send({ type: 'ready' });
  }

  private receive(message: ToCompare): void {
    if (message.type === 'standing') this.standing = message.standing;
    else this.keep({ report: message.report, history: this.state?.history });
    this.update();
  }

  private keep(state: ComparePageState): void {
    this.state = state;
    this.host.state = state;
  }

  private update(): void {
    const reading = html`<p role="status">${l10n.t('Reading …')}</p>`;
    render(this.state === undefined ? reading : this.view(this.state), this.place);
    this.drawPicture();
  }

  private drawPicture(): void {
    this.plot?.destroy();
    this.plot = undefined;
    const history = this.state === undefined ? undefined : historyOf(this.state);
    const place = this.place.querySelector<HTMLElement>('#curves');
    if (history !== undefined && place !== null) this.plot = drawCurves(curvesOf(history), place);
  }

  private view(state: ComparePageState): TemplateResult {
    const { report } = state;
    const { subject, comparison, at } = report;
    const rows = policyRows(report);
    const history = historyOf(state);
    const costs = history === undefined ? [] : costRows(history);
    const canOptimize = this.standing.optimize === 'none';
    const optimize = canOptimize ? (policy: PolicyName) => this.host.send({ type: 'optimize', policy }) : undefined;
    return html`<header>
        <h1>${l10n.t('Delta choices of {0}', subject.name)}</h1>
        <p class="path">${subject.root}</p>
        <p class="hint">
          ${comparedInWords(comparison, at)}
          <button class="link" @click=${() => this.host.send({ type: 'compareAgain' })}>
            ${l10n.t('Compare again')}
          </button>
        </p>
        ${this.standingView()}
      </header>
      ${this.recommendationView(report, canOptimize)}
      <section aria-labelledby="sizes-title">
        <h2 id="sizes-title">${l10n.t('What it would take')}</h2>
        ${this.historyChoice(state)} ${sizesTable(rows, costs, history?.name ?? '', optimize)}
        ${
          comparison.tooLarge > 0
            ? html`<p class="hint">
                ${l10n.t(
                  '{0} of the revlogs are too large to be replaced while the store is in use, and an optimisation leaves them as they are.',
                  numberInWords(comparison.tooLarge),
                )}
              </p>`
            : nothing
        }
        ${this.wordsView(rows)}
      </section>
      <section aria-labelledby="chains-title">
        <h2 id="chains-title">${l10n.t('How it would be stored')}</h2>
        ${chainsTable(rows)}
      </section>
      ${
        history === undefined
          ? nothing
          : html`<section aria-labelledby="curves-title">
              <h2 id="curves-title">${l10n.t('Chain lengths of {0}', history.name)}</h2>
              <div id="curves" class="picture" role="img" aria-label=${curvesInWords(curvesOf(history))}></div>
            </section>`
      }
      <section aria-labelledby="gains-title">
        <h2 id="gains-title">${l10n.t('The merges that gain most')}</h2>
        ${gainsView(comparison.gains, ({ index, revlog, rev }) =>
          this.host.send({ type: 'showChain', index, revlog, rev }),
        )}
      </section>`;
  }

  private standingView(): TemplateResult | typeof nothing {
    const { optimize, isOutdated } = this.standing;
    const button = (type: 'confirm' | 'undo' | 'finish', label: string, isSecondary = false) =>
      html`<vscode-button ?secondary=${isSecondary} @click=${() => this.host.send({ type })}>${label}</vscode-button>`;
    switch (optimize) {
      case 'unconfirmed':
        return html`<div class="standing" role="status">
          <p>${l10n.t('The store was written again. The old one is kept until you confirm.')}</p>
          <p>${button('confirm', l10n.t('Confirm'))} ${button('undo', l10n.t('Undo'), true)}</p>
        </div>`;
      case 'brokenOff':
        return html`<div class="standing" role="status">
          <p>${l10n.t('An optimisation of this store was broken off. Every text can be read.')}</p>
          <p>${button('finish', l10n.t('Finish'))}</p>
        </div>`;
      case 'underWay':
        return html`<p class="standing" role="status">${l10n.t('The store is being written again.')}</p>`;
      case 'none':
        return isOutdated
          ? html`<p class="standing" role="status">
              ${l10n.t('Something was written to the store since it was compared.')}
            </p>`
          : nothing;
    }
  }

  private recommendationView({ recommendation }: CompareReport, canOptimize: boolean): TemplateResult {
    const { policy, verdict, reasons } = recommendation;
    return html`<section aria-labelledby="recommendation-title" class="recommendation">
      <h2 id="recommendation-title">${l10n.t('Recommendation')}</h2>
      <p class="verdict">
        <span class="codicon codicon-${policy === undefined ? 'pass-filled' : 'lightbulb'}" aria-hidden="true"></span
        >${verdict}
      </p>
      <ul>
        ${reasons.map((reason) => html`<li>${reason}</li>`)}
      </ul>
      ${
        policy === undefined || !canOptimize
          ? nothing
          : html`<vscode-button id="optimize" @click=${() => this.host.send({ type: 'optimize', policy })}
              >${l10n.t('Optimize store …')}</vscode-button
            >`
      }
    </section>`;
  }

  private historyChoice(state: ComparePageState): TemplateResult | typeof nothing {
    const histories = shownHistories(state.report);
    if (histories.length < 2) return nothing;
    const chosen = historyOf(state)?.index;
    const choose = (event: Event) => {
      this.keep({ ...state, history: (event.target as HTMLSelectElement).value });
      this.update();
    };
    return html`<p>
      <label for="history">${l10n.t('Costs and curves of')}</label>
      <select id="history" @change=${choose}>
        ${histories.map(({ index, name }) => html`<option value=${index} ?selected=${index === chosen}>${name}</option>`)}
      </select>
    </p>`;
  }

  private wordsView(rows: ReturnType<typeof policyRows>): TemplateResult {
    return html`<details>
      <summary>${l10n.t('What the policies are')}</summary>
      <dl class="words">
        ${rows.map(
          ({ title, words, unwritable }) =>
            html`<dt>${title}</dt>
              <dd>${words} ${unwritable ?? ''}</dd>`,
        )}
      </dl>
    </details>`;
  }
}

/** How much was compared, how fast and when. */
function comparedInWords({ revlogs, seconds }: CompareReport['comparison'], at: number): string {
  return l10n.t(
    '{0}, compared in {1} s at {2}. Nothing was changed.',
    revlogs === 1 ? l10n.t('1 revlog') : l10n.t('{0} revlogs', numberInWords(revlogs)),
    decimalInWords(seconds, 1),
    new Date(at).toLocaleTimeString(),
  );
}

/** The history that was chosen, or the first one. */
function historyOf({ report, history }: ComparePageState) {
  const histories = shownHistories(report);
  return histories.find(({ index }) => index === history) ?? histories.at(0);
}
