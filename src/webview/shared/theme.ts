import type { Axis } from 'uplot';

/** Colours of the editor's theme, for canvases, which know no variables. */
export interface Theme {
  text: string;
  muted: string;
  grid: string;
  /** One for each kind of thing in a picture; never the only thing that tells them apart. */
  series: string[];
}

const seriesVariables = [
  '--vscode-charts-blue',
  '--vscode-charts-orange',
  '--vscode-charts-green',
  '--vscode-charts-purple',
  '--vscode-charts-red',
  '--vscode-charts-yellow',
];

/** What the theme is now. */
export function currentTheme(): Theme {
  const style = getComputedStyle(document.documentElement);
  const colour = (name: string, otherwise: string) => style.getPropertyValue(name).trim() || otherwise;
  const text = colour('--vscode-foreground', '#888888');
  return {
    text,
    muted: colour('--vscode-descriptionForeground', text),
    grid: colour('--vscode-contrastBorder', '') || colour('--vscode-panel-border', 'rgba(128, 128, 128, 0.3)'),
    series: seriesVariables.map((name) => colour(name, text)),
  };
}

/** An axis of a picture, in the theme's colours. */
export function axisOf({ muted, grid }: Theme, inWords: (value: number) => string): Axis {
  return {
    stroke: muted,
    font: `11px ${getComputedStyle(document.body).fontFamily}`,
    grid: { stroke: grid, width: 0.5 },
    ticks: { stroke: grid, width: 0.5 },
    values: (_plot, splits) => splits.map((split: number | null) => (split === null ? '' : inWords(split))),
  };
}

/** Calls back when the editor has changed its theme: it marks the body with it. */
export function onThemeChange(callback: () => void): void {
  new MutationObserver(callback).observe(document.body, {
    attributes: true,
    attributeFilter: ['class', 'data-vscode-theme-id'],
  });
}
