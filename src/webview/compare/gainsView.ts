import { html, type TemplateResult } from 'lit';
import type { MergeGain } from '../../protocol/compareReport';
import { bytesInWords, numberInWords } from '../shared/words';
import { baseInWords, changeInWords } from './compareModel';

/** The merges that gain most when both of their parents are looked at. */
export function gainsView(gains: readonly MergeGain[], showChain: (gain: MergeGain) => void): TemplateResult {
  if (gains.length === 0) return html`<p class="hint">No merge would be stored in fewer bytes.</p>`;
  return html`<div class="scrolled" tabindex="0" role="region" aria-label="Merges, with their deltas now and then">
    <table class="gains">
      <thead>
        <tr>
          <th scope="col">History</th>
          <th scope="col">Merge</th>
          <th scope="col">Delta against, now</th>
          <th scope="col">with both parents</th>
          <th scope="col" class="number">before</th>
          <th scope="col" class="number">after</th>
          <th scope="col" class="number">change</th>
        </tr>
      </thead>
      <tbody>
        ${gains.map(
          (gain) =>
            html`<tr>
              <th scope="row">${gain.revlog}</th>
              <td>
                <button class="link" @click=${() => showChain(gain)}>
                  <span class="spoken">Show the chain of ${gain.revlog} at </span>revision ${numberInWords(gain.rev)}
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
