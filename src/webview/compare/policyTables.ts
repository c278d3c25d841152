import { html, nothing, type TemplateResult } from 'lit';
import type { PolicyName } from '../../protocol/compareReport';
import { styled } from '../shared/styled';
import { bytesInWords, numberInWords } from '../shared/words';
import { changeInWords, type Change, type CostRow, type DeltaKinds, type PolicyRow } from './compareModel';

const kindWords: [keyof DeltaKinds, string][] = [
  ['wholeTexts', 'Whole texts'],
  ['snapshots', 'Snapshots'],
  ['againstP1', 'First parent'],
  ['againstP2', 'Second parent'],
  ['againstOthers', 'Others'],
];

/** Bytes before and after under each policy, with bars, and what reading costs in the same place. */
export function sizesTable(
  rows: readonly PolicyRow[],
  costs: readonly CostRow[],
  historyName: string,
  optimize: ((policy: PolicyName) => void) | undefined,
): TemplateResult {
  const hasManifests = rows.some(({ manifests }) => manifests !== undefined);
  return html`<div class="scrolled" tabindex="0" role="region" aria-label="Bytes and costs of each policy">
    <table class="policies">
      <thead>
        <tr>
          <th scope="col" rowspan="2">Policy</th>
          <th scope="colgroup" colspan="3">Store</th>
          ${hasManifests ? html`<th scope="colgroup" colspan="3">Manifests</th>` : nothing}
          ${costs.length > 0 ? html`<th scope="colgroup" colspan="2">Reading ${historyName}</th>` : nothing}
          <td rowspan="2"></td>
        </tr>
        <tr>
          ${changeHeads()} ${hasManifests ? changeHeads() : nothing}
          ${
            costs.length > 0
              ? html`<th scope="col" class="number" title="The last text, with nothing read before.">last text</th>
                  <th
                    scope="col"
                    class="number"
                    title="One of 100 random texts, each with nothing read before, on average."
                  >
                    random text
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

function changeHeads(): TemplateResult {
  return html`<th scope="col" class="number">before</th>
    <th scope="col" class="number">after</th>
    <th scope="col" class="bar-head">change</th>`;
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
    ${title}${isRecommended ? html` <span class="mark">recommended</span>` : nothing}
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
  return html`<td class="number">${cost.tip.toFixed(2)} ms</td>
    <td class="number">${cost.random.toFixed(2)} ms <span class="hint">${changeInWords(cost.slowness - 1)}</span></td>`;
}

function optimizeButton(
  { unwritable, isRecommended, title }: PolicyRow,
  policy: PolicyName,
  optimize: (policy: PolicyName) => void,
): TemplateResult {
  if (unwritable !== undefined) {
    return html`<span class="hint" title=${unwritable}>not here<span class="spoken">: ${unwritable}</span></span>`;
  }
  return html`<button
    class=${isRecommended ? 'use recommended' : 'use'}
    aria-label="Optimize with ${title}"
    @click=${() => optimize(policy)}
  >
    Optimize …
  </button>`;
}

/** Index and data, chains, and what the texts are stored as, under each policy. */
export function chainsTable(rows: readonly PolicyRow[]): TemplateResult {
  return html`<div class="scrolled" tabindex="0" role="region" aria-label="Chains of each policy">
    <table class="policies">
      <thead>
        <tr>
          <th scope="col" rowspan="2">Policy</th>
          <th scope="colgroup" colspan="2">Bytes</th>
          <th scope="colgroup" colspan="2">Chain length</th>
          <th scope="colgroup" colspan=${kindWords.length}>Texts stored as</th>
        </tr>
        <tr>
          <th scope="col" class="number">index</th>
          <th scope="col" class="number">data</th>
          <th scope="col" class="number">longest</th>
          <th scope="col" class="number">mean</th>
          ${kindWords.map(([, words]) => html`<th scope="col" class="number">${words}</th>`)}
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
              <td class="number">${row.meanChain.toFixed(1)}</td>
              ${kindWords.map(([kind]) => html`<td class="number">${numberInWords(row.kinds[kind])}</td>`)}
            </tr>`,
        )}
      </tbody>
    </table>
  </div>`;
}
