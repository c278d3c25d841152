import * as l10n from '@vscode/l10n';
import uPlot, { type Options } from 'uplot';
import { axisOf, currentTheme } from '../shared/theme';
import { numberInWords } from '../shared/words';
import { titleOf, type Curves } from './compareModel';

const height = 260;
/** There are more policies than colours: lines of one colour differ in their dashes. */
const dashes = [[], [8, 4], [2, 3]];

/** Chain lengths over revisions, the lines of all policies over each other. */
export function drawCurves({ revisions, lines }: Curves, place: HTMLElement): uPlot {
  const theme = currentTheme();
  const numbers = axisOf(theme, numberInWords);
  const options: Options = {
    width: Math.max(200, place.clientWidth),
    height,
    axes: [numbers, { ...numbers, size: 62 }],
    scales: { x: { time: false }, y: { range: (_plot, _low, high) => [0, Math.max(1, high)] } },
    cursor: { drag: { x: true, y: false } },
    series: [
      { label: l10n.t('revision') },
      ...lines.map(({ policy }, at) => ({
        label: titleOf(policy),
        stroke: policy === 'as-is' ? theme.text : theme.series[(at - 1) % theme.series.length],
        dash: policy === 'as-is' ? [] : dashes[Math.floor((at - 1) / theme.series.length) % dashes.length],
        width: policy === 'as-is' ? 2 : 1.25,
        points: { show: false },
      })),
    ],
  };
  return new uPlot(options, [revisions, ...lines.map(({ lengths }) => lengths)], place);
}
