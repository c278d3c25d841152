import { html, type TemplateResult } from 'lit';
import type { ShownChangeset } from '../../protocol/bundlePage';
import { numberInWords } from '../shared/words';
import { phaseInWords } from './words';

/** The table of changesets. */
export function changesetsView(changesets: readonly ShownChangeset[], copy: (text: string) => void): TemplateResult {
  return html`<div class="wide" tabindex="0" role="group" aria-label="Table of changesets">
    <table class="rows changesets">
      <thead>
        <tr>
          <th scope="col">Node</th>
          <th scope="col">Description</th>
          <th scope="col">Author</th>
          <th scope="col">Date</th>
          <th scope="col">Branch</th>
          <th scope="col">Phase</th>
          <th scope="col" class="number">Files</th>
        </tr>
      </thead>
      <tbody>
        ${changesets.map(
          ({ node, description, summary, user, author, when, branch, phase, files }) =>
            html`<tr>
              <td>
                <button class="link" title="Copy ${node}" @click=${() => copy(node)}>
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
