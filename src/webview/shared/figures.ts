import * as l10n from '@vscode/l10n';
import { html, nothing, type TemplateResult } from 'lit';

/** A figure at the head of a page. */
export interface Figure {
  label: string;
  value: string;
  /** What it says, as a sentence: in the tooltip, and for screen readers. */
  description: string;
}

/** The figures at the head of a page; nothing where there are none. */
export function figuresView(figures: readonly Figure[]): TemplateResult | typeof nothing {
  if (figures.length === 0) return nothing;
  return html`<section aria-labelledby="figures-title">
    <h2 id="figures-title" class="spoken">${l10n.t('Figures')}</h2>
    <dl class="figures">
      ${figures.map(
        ({ label, value, description }) =>
          html`<div title=${description}>
            <dt>${label}</dt>
            <dd>${value}<span class="spoken">. ${description}</span></dd>
          </div>`,
      )}
    </dl>
  </section>`;
}
