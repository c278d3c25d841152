import * as l10n from '@vscode/l10n';
import { html, nothing, type TemplateResult } from 'lit';
import type { ReportHead } from '../../protocol/chainReport';
import { figuresView } from '../shared/figures';
import { numberInWords } from '../shared/words';
import { rowNameOf } from './rowName';

const icons = { error: 'error', warning: 'warning', info: 'info' } as const;
const healthIcons = { good: 'pass-filled', notable: 'warning', damaged: 'error' } as const;

/** What this is, whether it is healthy, what would help, and its figures. */
export function headView(head: ReportHead, pick: (row: number) => void): TemplateResult {
  return html`
    <header>
      <h1>${head.title}</h1>
      <p class="path">${head.path}</p>
      <p class="verdict ${head.health}" role="status">
        <span class="codicon codicon-${healthIcons[head.health]}" aria-hidden="true"></span>${head.verdict}
      </p>
    </header>
    ${head.findings.length === 0 ? nothing : findingsView(head, pick)} ${figuresView(head.figures)}
  `;
}

function severityInWords(severity: keyof typeof icons): string {
  switch (severity) {
    case 'error':
      return l10n.t('Fault');
    case 'warning':
      return l10n.t('Worth a change');
    case 'info':
      return l10n.t('Good to know');
  }
}

function findingsView(head: ReportHead, pick: (row: number) => void): TemplateResult {
  const { one } = rowNameOf(head);
  return html`<section aria-labelledby="findings-title">
    <h2 id="findings-title">${l10n.t('What was found')}</h2>
    <ul class="findings">
      ${head.findings.map(
        ({ severity, message, nextStep, rev }) =>
          html`<li class=${severity}>
            <span class="codicon codicon-${icons[severity]}" aria-hidden="true"></span>
            <div>
              <strong>${severityInWords(severity)}:</strong> ${message}
              ${nextStep === undefined ? nothing : html`<span class="next-step">${nextStep}</span>`}
              ${
                rev === undefined
                  ? nothing
                  : html`<button class="link" @click=${() => pick(rev)}>
                      ${l10n.t('Show {0} {1}', one, numberInWords(rev))}
                    </button>`
              }
            </div>
          </li>`,
      )}
    </ul>
  </section>`;
}
