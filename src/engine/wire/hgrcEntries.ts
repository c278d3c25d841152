import type { Hgrc } from '../store/hgrc';

/** Items such as `name.prefix` of a section, by name: what stands behind the last dot, and its value. */
export function sectionEntries(settings: Hgrc, section: string): Map<string, string>[] {
  const entries = new Map<string, Map<string, string>>();
  for (const [item, value] of settings.get(section) ?? []) {
    const dot = item.lastIndexOf('.');
    if (dot < 0) continue;
    const [name, argument] = [item.slice(0, dot), item.slice(dot + 1)];
    const entry = entries.get(name) ?? new Map<string, string>();
    entries.set(name, entry.set(argument, value));
  }
  return [...entries.values()];
}

/**
 * How much of an address a prefix of `[auth]` fits, in characters; 0 for nothing. It is compared with the address without
 * its scheme, which has to be among `schemes`, unless the prefix has one itself; `*` fits everything.
 *
 * @see `hg help config.auth`
 */
export function matchLength(address: string, written: string, schemesWritten: string): number {
  const [scheme, place] = address.split('://');
  const [, own, prefix] = /^(?:([a-z]+):\/\/)?([^]*?)\/*$/i.exec(written) ?? ['', undefined, written];
  const schemes = own === undefined ? schemesWritten.split(/[\s,]+/) : [own.toLowerCase()];
  if (!schemes.includes(scheme)) return 0;
  if (prefix === '*') return 1;
  // Only whole parts count: what is meant for example.org is not for example.organic.
  const fits = place.startsWith(prefix) && /^([/:]|$)/.test(place.slice(prefix.length));
  return fits ? prefix.length : 0;
}
