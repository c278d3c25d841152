import { parseBoolean, type Hgrc } from '../store/hgrc';

/** How clone bundles are used. */
export interface CloneBundleSettings {
  /** `ui.clonebundles`, true unless it says otherwise. */
  isOn: boolean;
  /** `ui.clonebundlefallback`: whether a clone goes on without when a bundle fails; false unless it says otherwise. */
  fallsBack: boolean;
  /** `ui.clonebundleprefers`: `KEY=VALUE` each, the most wanted first. */
  prefers: string[];
}

/** Reads the settings of clone bundles. @see `hg help config.ui` */
export function cloneBundleSettings(settings: Hgrc): CloneBundleSettings {
  const ui = settings.get('ui');
  return {
    isOn: parseBoolean(ui?.get('clonebundles')) ?? true,
    fallsBack: parseBoolean(ui?.get('clonebundlefallback')) ?? false,
    prefers: (ui?.get('clonebundleprefers') ?? '').split(/[\s,]+/).filter((wish) => wish.indexOf('=') > 0),
  };
}
