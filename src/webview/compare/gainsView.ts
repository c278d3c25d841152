import * as l10n from '@vscode/l10n';
import { html, type TemplateResult } from 'lit';
import type { MergeGain } from '../../protocol/compareReport';
import { bytesInWords, numberInWords } from '../shared/words';
import { baseInWords, changeInWords } from './compareModel';

/** The merges that gain most when both of their parents are looked at. */
export function gainsView(gains: readonly MergeGain[], showChain: (gain: MergeGain) => void): TemplateResult {
  if (gains.length === 0) return html`<p class="hint">${l10n.t('No merge would be stored in fewer bytes.')}</p>`;
  return html`<div
    class="scrolled"
    tabindex="0"
    role="region"
    aria-label=${l10n.t('Merges, with their deltas now and then')}
  >
    <table class="gains">
      <thead>
        <tr>
          <th scope="col">${l10n.t('History')}</th>
          <th scope="col">${l10n.t('Merge')}</th>
          <th scope="col">${l10n.t('Delta against, now')}</th>
          <th scope="col">${l10n.t('with both parents')}</th>
          <th scope="col" class="number">${l10n.t('before')}</th>
          <th scope="col" class="number">${l10n.t('after')}</th>
          <th scope="col" class="number">${l10n.t('change')}</th>
        </tr>
      </thead>
      <tbody>
        ${gains.map(
          (gain) =>
            html`<tr>
              <th scope="row">${gain.revlog}</th>
              <td>
                <button class="link" @click=${() => showChain(gain)}>
                  <span class="spoken">${l10n.t('Show the chain of {0} at', gain.revlog)} </span
                  >${l10n.t('revision {0}', numberInWords(gain.rev))}
                </button>
              </td>
              <td>${baseInWords(gain.baseBefore, gain)}</td>
              <td>${baseInWords(gain.baseAfter, gain)}</td>
              <td class="number">${bytesInWords(gain.before)}</td>
              <td class="number">${bytesInWords(gain.after)}</td>
              <td class="number">${changeInWords(gain.after / gain.before - 1)}</td>
            </tr>`,
        )}
      </tbody>
    </table>
  </div>`;
}
