import * as l10n from '@vscode/l10n';
import { html, nothing, type TemplateResult } from 'lit';
import type { PolicyName } from '../../protocol/compareReport';
import { styled } from '../shared/styled';
import { bytesInWords, decimalInWords, numberInWords } from '../shared/words';
import { changeInWords, type Change, type CostRow, type DeltaKinds, type PolicyRow } from './compareModel';

const kindWords = (): [keyof DeltaKinds, string][] => [
  ['wholeTexts', l10n.t('Whole texts')],
  ['snapshots', l10n.t('Snapshots')],
  ['againstP1', l10n.t('First parent')],
  ['againstP2', l10n.t('Second parent')],
  ['againstOthers', l10n.t('Others')],
];

/** Bytes before and after under each policy, with bars, and what reading costs in the same place. */
export function sizesTable(
  rows: readonly PolicyRow[],
  costs: readonly CostRow[],
  historyName: string,
  optimize: ((policy: PolicyName) => void) | undefined,
): TemplateResult {
  const hasManifests = rows.some(({ manifests }) => manifests !== undefined);
  return html`<div class="scrolled" tabindex="0" role="region" aria-label=${l10n.t('Bytes and costs of each policy')}>
    <table class="policies">
      <thead>
        <tr>
          <th scope="col" rowspan="2">${l10n.t('Policy')}</th>
          <th scope="colgroup" colspan="3">${l10n.t('Store')}</th>
          ${hasManifests ? html`<th scope="colgroup" colspan="3">${l10n.t('Manifests')}</th>` : nothing}
          ${costs.length > 0 ? html`<th scope="colgroup" colspan="2">${readingInWords(historyName)}</th>` : nothing}
          <td rowspan="2"></td>
        </tr>
        <tr>
          ${changeHeads()} ${hasManifests ? changeHeads() : nothing}
          ${
            costs.length > 0
              ? html`<th scope="col" class="number" title=${l10n.t('The last text, with nothing read before.')}>
                    ${l10n.t('last text')}
                  </th>
                  <th
                    scope="col"
                    class="number"
                    title=${l10n.t('One of 100 random texts, each with nothing read before, on average.')}
                  >
                    ${l10n.t('random text')}
                  </th>`
              : nothing
          }
        </tr>
      </thead>
      <tbody>
        ${rows.map((row) => sizesRow(row, rows, costs, hasManifests, optimize))}
      </tbody>
    </table>
  </div>`;
}

function readingInWords(historyName: string): string {
  return l10n.t({ message: 'Reading {0}', args: [historyName], comment: ['Head of columns: what reading costs'] });
}

function changeHeads(): TemplateResult {
  return html`<th scope="col" class="number">${l10n.t('before')}</th>
    <th scope="col" class="number">${l10n.t('after')}</th>
    <th scope="col" class="bar-head">${l10n.t('change')}</th>`;
}

function sizesRow(
  row: PolicyRow,
  rows: readonly PolicyRow[],
  costs: readonly CostRow[],
  hasManifests: boolean,
  optimize: ((policy: PolicyName) => void) | undefined,
): TemplateResult {
  const { policy, manifests, store } = row;
  const cost = costs.find((one) => one.policy === policy);
  const most = (pick: (one: PolicyRow) => number) => Math.max(1, ...rows.map(pick));
  return html`<tr class=${row.isRecommended ? 'recommended' : ''}>
    ${policyHead(row)}
    ${changeCells(
      store,
      most((one) => one.store.after),
    )}
    ${
      hasManifests
        ? manifests === undefined
          ? html`<td colspan="3"></td>`
          : changeCells(
              manifests,
              most((one) => one.manifests?.after ?? 0),
            )
        : nothing
    }
    ${costs.length > 0 ? costCells(cost) : nothing}
    <td>${policy === 'as-is' || optimize === undefined ? nothing : optimizeButton(row, policy, optimize)}</td>
  </tr>`;
}

function policyHead({ title, words, isRecommended }: PolicyRow): TemplateResult {
  return html`<th scope="row" title=${words}>
    ${title}${isRecommended ? html` <span class="mark">${l10n.t('recommended')}</span>` : nothing}
  </th>`;
}

function changeCells({ before, after, change }: Change, most: number): TemplateResult {
  return html`<td class="number">${bytesInWords(before)}</td>
    <td class="number">${bytesInWords(after)}</td>
    <td>
      <div class="bar">
        <div class="bar-room"><div ${styled({ width: `${(after / most) * 100}%` })}></div></div>
        <span>${changeInWords(change)}</span>
      </div>
    </td>`;
}

function costCells(cost: CostRow | undefined): TemplateResult {
  if (cost === undefined) return html`<td colspan="2"></td>`;
  return html`<td class="number">${decimalInWords(cost.tip, 2)} ms</td>
    <td class="number">
      ${decimalInWords(cost.random, 2)} ms <span class="hint">${changeInWords(cost.slowness - 1)}</span>
    </td>`;
}

function optimizeButton(
  { unwritable, isRecommended, title }: PolicyRow,
  policy: PolicyName,
  optimize: (policy: PolicyName) => void,
): TemplateResult {
  if (unwritable !== undefined) {
    return html`<span class="hint" title=${unwritable}
      >${l10n.t('not here')}<span class="spoken">: ${unwritable}</span></span
    >`;
  }
  return html`<button
    class=${isRecommended ? 'use recommended' : 'use'}
    aria-label=${l10n.t('Optimize with {0}', title)}
    @click=${() => optimize(policy)}
  >
    ${l10n.t('Optimize …')}
  </button>`;
}

/** Index and data, chains, and what the texts are stored as, under each policy. */
export function chainsTable(rows: readonly PolicyRow[]): TemplateResult {
  const kinds = kindWords();
  return html`<div class="scrolled" tabindex="0" role="region" aria-label=${l10n.t('Chains of each policy')}>
    <table class="policies">
      <thead>
        <tr>
          <th scope="col" rowspan="2">${l10n.t('Policy')}</th>
          <th scope="colgroup" colspan="2">${l10n.t('Bytes')}</th>
          <th scope="colgroup" colspan="2">${l10n.t('Chain length')}</th>
          <th scope="colgroup" colspan=${kinds.length}>${l10n.t('Texts stored as')}</th>
        </tr>
        <tr>
          <th scope="col" class="number">${l10n.t('index')}</th>
          <th scope="col" class="number">${l10n.t('data')}</th>
          <th scope="col" class="number">${l10n.t('longest')}</th>
          <th scope="col" class="number">${l10n.t('mean')}</th>
          ${kinds.map(([, words]) => html`<th scope="col" class="number">${words}</th>`)}
        </tr>
      </thead>
      <tbody>
        ${rows.map(
          (row) =>
            html`<tr class=${row.isRecommended ? 'recommended' : ''}>
              ${policyHead(row)}
              <td class="number">${bytesInWords(row.indexBytes)}</td>
              <td class="number">${bytesInWords(row.chunkBytes)}</td>
              <td class="number">${numberInWords(row.longestChain)}</td>
              <td class="number">${decimalInWords(row.meanChain, 1)}</td>
              ${kinds.map(([kind]) => html`<td class="number">${numberInWords(row.kinds[kind])}</td>`)}
            </tr>`,
        )}
      </tbody>
    </table>
  </div>`;
}
