import * as l10n from '@vscode/l10n';
import uPlot, { type Options } from 'uplot';
import type { TransferSnapshot } from '../../protocol/transferReport';
import { axisOf, currentTheme } from '../shared/theme';
import { bytesInWords, numberInWords } from '../shared/words';

type History = TransferSnapshot['history'];

const height = 200;
/** Moments that a rate is taken over, so that it does not jump with every piece. */
const smoothing = 5;
/** The steps of an axis of things that are counted. */
const wholeSteps = Array.from({ length: 13 }, (_, power) => [1, 2, 5].map((step) => step * 10 ** power)).flat();

/** Bytes a second over time. */
export function drawThroughput(history: History, place: HTMLElement): uPlot {
  const theme = currentTheme();
  const options: Options = {
    ...frame(place),
    axes: [axisOf(theme, (value) => `${value} s`), { ...axisOf(theme, (value) => bytesInWords(value)), size: 68 }],
    scales: { x: { time: false }, y: { range: (_plot, _low, high) => [0, Math.max(1, high)] } },
    series: [
      { label: l10n.t('seconds') },
      {
        label: l10n.t('a second'),
        stroke: theme.series[0],
        width: 1.5,
        value: (_plot, value: number | null) => (value === null ? '–' : bytesInWords(value)),
        points: { show: false },
      },
    ],
  };
  return new uPlot(options, [history.seconds, ratesOf(history)], place);
}

/** Objects of each kind over time: each its own line, told apart by dashes too. */
export function drawObjects(history: History, place: HTMLElement): uPlot {
  const theme = currentTheme();
  const kinds = Object.entries(history.kinds);
  const dashes = [[], [8, 4], [2, 3], [10, 3, 2, 3]];
  const options: Options = {
    ...frame(place),
    axes: [axisOf(theme, (value) => `${value} s`), { ...axisOf(theme, numberInWords), size: 62, incrs: wholeSteps }],
    scales: { x: { time: false }, y: { range: (_plot, _low, high) => [0, Math.max(1, high)] } },
    series: [
      { label: l10n.t('seconds') },
      ...kinds.map(([kind], at) => ({
        label: kind,
        stroke: theme.series[at % theme.series.length],
        dash: dashes[at % dashes.length],
        width: 1.5,
        points: { show: false },
      })),
    ],
  };
  return new uPlot(options, [history.seconds, ...kinds.map(([, counts]) => counts)], place);
}

/** What the curve of throughput shows. */
export function throughputInWords(history: History): string {
  const rates = ratesOf(history);
  const most = Math.max(0, ...rates);
  return l10n.t(
    'Line of the bytes that came in each second; at most {0}, {1} in all.',
    bytesInWords(most),
    bytesInWords(history.bytes.at(-1) ?? 0),
  );
}

/** What the curves of objects show. */
export function objectsInWords({ kinds }: History): string {
  const ends = Object.entries(kinds).map(([kind, counts]) =>
    l10n.t('{0} of kind {1}', numberInWords(counts.at(-1) ?? 0), kind),
  );
  return l10n.t('Lines of how many objects of each kind there are: at the end {0}.', ends.join(', '));
}

function ratesOf({ seconds, bytes }: History): number[] {
  return seconds.map((second, at) => {
    const before = Math.max(0, at - smoothing);
    const passed = second - seconds[before];
    return passed <= 0 ? 0 : Math.max(0, (bytes[at] - bytes[before]) / passed);
  });
}

function frame(place: HTMLElement): Pick<Options, 'width' | 'height'> {
  return { width: Math.max(200, place.clientWidth), height };
}
