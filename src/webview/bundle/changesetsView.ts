import * as l10n from '@vscode/l10n';
import { html, type TemplateResult } from 'lit';
import type { ShownChangeset } from '../../protocol/bundlePage';
import { numberInWords } from '../shared/words';
import { phaseInWords } from './words';

/** The table of changesets. */
export function changesetsView(changesets: readonly ShownChangeset[], copy: (text: string) => void): TemplateResult {
  return html`<div class="wide" tabindex="0" role="group" aria-label=${l10n.t('Table of changesets')}>
    <table class="rows changesets">
      <thead>
        <tr>
          <th scope="col">${l10n.t('Node')}</th>
          <th scope="col">${l10n.t('Description')}</th>
          <th scope="col">${l10n.t('Author')}</th>
          <th scope="col">${l10n.t('Date')}</th>
          <th scope="col">${l10n.t('Branch')}</th>
          <th scope="col">${l10n.t('Phase')}</th>
          <th scope="col" class="number">${l10n.t('Files')}</th>
        </tr>
      </thead>
      <tbody>
        ${changesets.map(
          ({ node, description, summary, user, author, when, branch, phase, files }) =>
            html`<tr>
              <td>
                <button class="link" title=${l10n.t('Copy {0}', node)} @click=${() => copy(node)}>
                  <code>${node.slice(0, 12)}</code>
                </button>
              </td>
              <td class="description" title=${description}>${summary}</td>
              <td title=${user}>${author}</td>
              <td>${when}</td>
              <td>${branch}</td>
              <td>${phaseInWords(phase)}</td>
              <td class="number">${numberInWords(files)}</td>
            </tr>`,
        )}
      </tbody>
    </table>
  </div>`;
}
