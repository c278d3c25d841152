import '@vscode-elements/elements/dist/vscode-button/index.js';
import * as l10n from '@vscode/l10n';
import { html, nothing, render, type TemplateResult } from 'lit';
import type {
  FromTransfer,
  ReportedPhase,
  ToTransfer,
  TransferPageState,
  TransferSnapshot,
} from '../../protocol/transferReport';
import { figuresView } from '../shared/figures';
import type { EditorHost } from '../shared/host';
import { styled } from '../shared/styled';
import { onThemeChange } from '../shared/theme';
import { bytesInWords, decimalInWords, numberInWords } from '../shared/words';
import { drawObjects, drawThroughput, objectsInWords, throughputInWords } from './curves';

export type TransferHost = EditorHost<{ received: ToTransfer; sent: FromTransfer; state: TransferPageState }>;

const icons = { running: 'sync', done: 'pass-filled', failed: 'error', cancelled: 'circle-slash' } as const;

/** The page of a transfer report: drawn anew whenever the editor tells how the transfer is. */
export class TransferPage {
  private snapshot: TransferSnapshot | undefined;
  private plots: { destroy: () => void }[] = [];

  constructor(
    private readonly place: HTMLElement,
    private readonly host: TransferHost,
  ) {
    host.onMessage(({ snapshot }) => {
      this.snapshot = snapshot;
      host.state = { id: snapshot.id };
      this.update();
    });
    onThemeChange(() => this.drawCurves());
    new ResizeObserver(() => this.drawCurves()).observe(place);
    this.update();
    host.send({ type: 'ready' });
  }

  private update(): void {
    const reading = html`<p role="status">${l10n.t('Reading …')}</p>`;
    render(this.snapshot === undefined ? reading : this.view(this.snapshot), this.place);
    this.drawCurves();
  }

  private drawCurves(): void {
    for (const plot of this.plots) plot.destroy();
    this.plots = [];
    if (this.snapshot === undefined) return;
    const { history } = this.snapshot;
    for (const [id, draw] of [
      ['throughput', drawThroughput],
      ['objects', drawObjects],
    ] as const) {
      const place = this.place.querySelector<HTMLElement>(`#${id}`);
      if (place !== null && history.seconds.length > 1) this.plots.push(draw(history, place));
    }
  }

  private view(snapshot: TransferSnapshot): TemplateResult {
    const { title, source, destination, state, words, failure, warnings, terms, figures } = snapshot;
    return html`<header>
        <h1>${title}</h1>
        <p class="path">${source} → ${destination}</p>
        <p class="state ${state}"><span class="codicon codicon-${icons[state]}" aria-hidden="true"></span>${words}</p>
        ${failure === undefined ? nothing : html`<p role="alert">${failure}</p>`}
        ${warnings.map((warning) => html`<p><span class="codicon codicon-warning" aria-hidden="true"></span>${warning}</p>`)}
        <p class="actions">${this.actionsView(snapshot)}</p>
      </header>
      ${
        terms === undefined
          ? nothing
          : html`<section aria-labelledby="terms-title">
              <h2 id="terms-title">${l10n.t('What was agreed')}</h2>
              <p><strong>${terms.words}</strong>: ${terms.reason}.</p>
            </section>`
      }
      ${figuresView(figures)}${phasesView(snapshot)}${curvesView(snapshot)}${streamedView(snapshot)}`;
  }

  private actionsView({ state, isServed, isSaved }: TransferSnapshot): TemplateResult | typeof nothing {
    if (isSaved === true) return nothing;
    const button = (type: FromTransfer['type'], label: string, icon: string) =>
      html`<vscode-button secondary icon=${icon} @click=${() => this.host.send({ type })}>${label}</vscode-button>`;
    if (state === 'running') return button('cancel', l10n.t('Cancel'), 'stop-circle');
    if (isServed) return nothing;
    return state === 'done'
      ? button('reveal', l10n.t('Show in folder'), 'folder-opened')
      : button('retry', l10n.t('Retry'), 'refresh');
  }
}

function phasesView({ phases, seconds }: TransferSnapshot): TemplateResult {
  return html`<section aria-labelledby="phases-title">
    <h2 id="phases-title">${l10n.t('Where the time went')}</h2>
    <table class="phases">
      <thead class="spoken">
        <tr>
          <th scope="col">${l10n.t('Phase')}</th>
          <th scope="col">${l10n.t('Time line')}</th>
          <th scope="col">${l10n.t('Done')}</th>
        </tr>
      </thead>
      <tbody>
        ${phases.map((phase) => phaseRow(phase, seconds))}
      </tbody>
    </table>
  </section>`;
}

function phaseRow({ label, begun, ended, words }: ReportedPhase, seconds: number): TemplateResult {
  const whole = Math.max(seconds, 0.001);
  const end = ended ?? seconds;
  return html`<tr>
    <th scope="row">${label}</th>
    <td class="line">
      <div
        class=${ended === undefined ? 'span running' : 'span'}
        ${styled({ left: `${(begun / whole) * 100}%`, width: `${Math.max(0.3, ((end - begun) / whole) * 100)}%` })}
      ></div>
      <span class="spoken">${l10n.t('from {0} to {1} seconds', decimalInWords(begun, 1), decimalInWords(end, 1))}</span>
    </td>
    <td>${words}</td>
  </tr>`;
}

function curvesView({ history }: TransferSnapshot): TemplateResult {
  const hasObjects = Object.keys(history.kinds).length > 0;
  return html`<section aria-labelledby="curves-title">
    <h2 id="curves-title" class="spoken">${l10n.t('Curves')}</h2>
    <div class="pictures">
      <figure>
        <figcaption>${l10n.t('Bytes that came in, a second')}</figcaption>
        <div id="throughput" class="picture" role="img" aria-label=${throughputInWords(history)}></div>
      </figure>
      ${
        hasObjects
          ? html`<figure>
              <figcaption>${l10n.t('Objects by kind')}</figcaption>
              <div id="objects" class="picture" role="img" aria-label=${objectsInWords(history)}></div>
            </figure>`
          : nothing
      }
    </div>
  </section>`;
}

function streamedView({ streamed, streamedObjects }: TransferSnapshot): TemplateResult | typeof nothing {
  if (streamedObjects === 0) return nothing;
  const more = streamedObjects - streamed.length;
  return html`<section aria-labelledby="streamed-title">
    <h2 id="streamed-title">${l10n.t('Objects that went through the buffer')}</h2>
    <table class="streamed">
      <thead>
        <tr>
          <th scope="col">${l10n.t('Object')}</th>
          <th scope="col">${l10n.t('Kind')}</th>
          <th scope="col" class="number">${l10n.t('Size')}</th>
          <th scope="col">${l10n.t('Why')}</th>
        </tr>
      </thead>
      <tbody>
        ${streamed.map(
          ({ name, kind, size, reason }) =>
            html`<tr>
              <td><code>${name}</code></td>
              <td>${kind}</td>
              <td class="number">${bytesInWords(size)}</td>
              <td>${reason}</td>
            </tr>`,
        )}
      </tbody>
    </table>
    ${more > 0 ? html`<p>${l10n.t('and {0} more', numberInWords(more))}</p>` : nothing}
  </section>`;
}
