import { parseBoolean, type Hgrc } from './hgrc';

/**
 * Whether a repository gives obsolescence markers to others and takes theirs. Where that is off, as it is unless somebody
 * turned it on, Mercurial complains of every marker that it finds.
 *
 * @see `hg help -e evolve`; the settings `experimental.evolution`, `experimental.evolution.createmarkers` and `.exchange`
 */
export function exchangesMarkers(settings: Hgrc): boolean {
  const experimental = settings.get('experimental');
  const evolution = experimental?.get('evolution') ?? (usesEvolve(settings) ? 'all' : '');
  const listed = evolution.split(/[\s,]+/);
  const isAll = listed.includes('all') || parseBoolean(evolution) === true;
  const has = (option: string) =>
    parseBoolean(experimental?.get(`evolution.${option}`)) ?? (isAll || listed.includes(option));
  return has('createmarkers') && has('exchange');
}

/** The extension turns everything on. */
function usesEvolve(settings: Hgrc): boolean {
  const extensions = settings.get('extensions');
  const path = extensions?.get('evolve') ?? extensions?.get('hgext3rd.evolve');
  return path !== undefined && !path.startsWith('!');
}
