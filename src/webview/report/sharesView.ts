import * as l10n from '@vscode/l10n';
import { html, type TemplateResult } from 'lit';
import { styled } from '../shared/styled';
import { bytesInWords, numberInWords, shareInWords } from '../shared/words';
import type { Share } from './downsample';

/** Kinds with their rows and bytes, as a table whose bars show the bytes. */
export function sharesView(
  caption: string,
  shares: readonly Share[],
  rowsName: string,
  what = l10n.t('Kind'),
): TemplateResult {
  const bytes = shares.reduce((sum, share) => sum + share.bytes, 0);
  const most = Math.max(1, ...shares.map((share) => share.bytes));
  return html`<table class="shares">
    <caption>
      ${caption}
    </caption>
    <thead>
      <tr>
        <th scope="col">${what}</th>
        <th scope="col" class="number">${rowsName}</th>
        <th scope="col" class="number">${l10n.t('Bytes')}</th>
        <th scope="col" class="bar-head"><span class="spoken">${l10n.t('Share of bytes')}</span></th>
      </tr>
    </thead>
    <tbody>
      ${shares.map(
        (share) =>
          html`<tr>
            <th scope="row">${share.name}</th>
            <td class="number">${numberInWords(share.rows)}</td>
            <td class="number">${bytesInWords(share.bytes)}</td>
            <td>
              <div class="bar">
                <div class="bar-room"><div ${styled({ width: `${(share.bytes / most) * 100}%` })}></div></div>
                <span>${shareInWords(share.bytes, bytes)}</span>
              </div>
            </td>
          </tr>`,
      )}
    </tbody>
  </table>`;
}
