import * as l10n from '@vscode/l10n';
import uPlot, { type Options, type Series } from 'uplot';
import type { Numbers } from '../../protocol/chainReport';
import { axisOf, currentTheme, type Theme } from '../shared/theme';
import { bytesInWords, numberInWords } from '../shared/words';
import { cloud, distribution, extremes, type Points } from './downsample';
import type { ReportTable } from './reportTable';
import { rowNameOf } from './rowName';

const height = 200;
const stretches = 800;
const ranges = 80;
const cells = 160;
// Logarithmic; the library's name for it is gone when types are compiled away.
// eslint-disable-next-line @typescript-eslint/no-unsafe-enum-assignment
const logarithmic = { distr: 3 } as uPlot.Scale;

/** One picture of a report: what it shows, in words too, and how to draw it. */
export interface Picture {
  id: string;
  title: string;
  /** What can be seen in it, for those who cannot. */
  alternative: string;
  points: Points;
  /** The rows behind its points, where a click on one means a row. */
  rows?: number[];
  options: (theme: Theme, width: number) => Options;
}

/** The pictures of a report: lengths over rows, their distribution, chains against texts. */
export function picturesOf(table: ReportTable): Picture[] {
  if (table.count === 0) return [];
  const { roles } = table.head;
  const rowName = rowNameOf(table.head);
  const lengths = table.values(roles.chainLength);
  return [lengthsPicture(lengths, rowName), distributionPicture(lengths, rowName), sizesPicture(table)];
}

/** Draws a picture; a click on a point calls `pick` with its row. */
export function draw(picture: Picture, place: HTMLElement, pick: (row: number) => void): uPlot {
  const options = picture.options(currentTheme(), Math.max(200, place.clientWidth));
  const plot = new uPlot(options, picture.points, place);
  const { rows } = picture;
  if (rows !== undefined) {
    plot.over.addEventListener('click', () => {
      const at = plot.cursor.idx;
      const row = at === null || at === undefined ? undefined : rows.at(at);
      if (row !== undefined) pick(row);
    });
  }
  return plot;
}

function lengthsPicture(lengths: Numbers, { one, many }: { one: string; many: string }): Picture {
  const points = extremes(lengths, stretches);
  const longest = largest(lengths);
  return {
    id: 'lengths',
    title: l10n.t('Chain length over {0}', many),
    alternative: l10n.t(
      'Line of the chain length of {0} {1}, in their order. The longest is {2}, at {3} {4}; the last is {5}.',
      numberInWords(lengths.length),
      many,
      numberInWords(longest),
      one,
      numberInWords(lengths.indexOf(longest)),
      numberInWords(lengths[lengths.length - 1]),
    ),
    points,
    rows: points[0],
    options: (theme, width) => ({
      ...frame(theme, width),
      scales: { x: { time: false } },
      series: [{ label: one }, { label: l10n.t('length'), stroke: theme.series[0], width: 1, points: { show: false } }],
    }),
  };
}

function distributionPicture(lengths: Numbers, { many }: { many: string }): Picture {
  const bars = distribution(lengths, ranges);
  const [xs, counts] = bars;
  const usual = counts.indexOf(Math.max(...counts));
  const width = bars.width ?? 1;
  return {
    id: 'distribution',
    title: l10n.t('How long chains are'),
    alternative: l10n.t(
      'Bars of how many {0} have a chain of each length, from {1} to {2}. Most, {3}, have {4}.',
      many,
      xs[0],
      xs[xs.length - 1] + width - 1,
      numberInWords(counts[usual]),
      width === 1 ? xs[usual] : l10n.t('{0} to {1}', xs[usual], xs[usual] + width - 1),
    ),
    points: bars,
    options: (theme, wide) => ({
      ...frame(theme, wide),
      scales: { x: { time: false }, y: { range: (_plot, _low, high) => [0, Math.max(1, high)] } },
      series: [
        { label: l10n.t('length') },
        {
          label: many,
          stroke: theme.series[1],
          fill: theme.series[1],
          paths: uPlot.paths.bars?.({ size: [0.8, 40], align: 1 }),
          points: { show: false },
        },
      ],
    }),
  };
}

function sizesPicture(table: ReportTable): Picture {
  const { roles } = table.head;
  const { points, rows } = cloud(table.values(roles.text), table.values(roles.chainSize), cells);
  const heavy = rows.filter((_row, at) => points[1][at] > points[0][at]).length;
  return {
    id: 'sizes',
    title: l10n.t('Chain size against text size'),
    alternative: l10n.t(
      'Dots of {0}: how many bytes a chain has for the bytes of its text, both on logarithmic scales. Of {1} dots, {2} have a chain that is larger than the text.',
      rowNameOf(table.head).many,
      numberInWords(rows.length),
      numberInWords(heavy),
    ),
    points,
    rows,
    options: (theme, width) => ({
      ...frame(theme, width),
      scales: { x: { ...logarithmic, time: false }, y: logarithmic },
      axes: [byteAxis(theme, l10n.t('text')), { ...byteAxis(theme, l10n.t('chain')), size: 62 }],
      series: [
        { label: l10n.t('text'), value: inBytes },
        {
          label: l10n.t('chain'),
          value: inBytes,
          stroke: theme.series[2],
          paths: () => null,
          points: { show: true, size: 3, fill: theme.series[2], width: 0 },
        },
      ],
    }),
  };
}

const inBytes: Series.Value = (_plot, value: number | null) => (value === null ? '–' : bytesInWords(value));

function frame(theme: Theme, width: number): Omit<Options, 'series'> {
  const numbers = axisOf(theme, numberInWords);
  return {
    width,
    height,
    axes: [numbers, { ...numbers, size: 62 }],
    cursor: { drag: { x: true, y: false } },
    legend: { live: true },
  };
}

function byteAxis(theme: Theme, label: string): uPlot.Axis {
  return { ...axisOf(theme, bytesInWords), label, labelSize: 18 };
}

function largest(values: Numbers): number {
  let most = -Infinity;
  for (const value of values) if (value > most) most = value;
  return most;
}
