import type { Hgrc } from '../store/hgrc';

/** What the extension knows without being told. */
const knownSchemes: readonly (readonly [string, string])[] = [
  ['py', 'http://hg.python.org/'],
  ['bb', 'https://bitbucket.org/'],
  ['bb+ssh', 'ssh://hg@bitbucket.org/'],
  ['gcode', 'https://{1}.googlecode.com/hg/'],
  ['kiln', 'https://{1}.kilnhg.com/Repo/'],
];

/**
 * The address that a shortcut stands for, where the user has the extension `schemes`: with `py = https://example.org/hg/`
 * in its section, `py://trunk` is `https://example.org/hg/trunk`; `{1}`, `{2}` ... take the first parts of what is behind
 * `://`, and the rest is appended. Other addresses are as they were.
 *
 * @see `hg help -e schemes`
 */
export function expandScheme(address: string, settings: Hgrc): string {
  const extensions = settings.get('extensions');
  const path = extensions?.get('schemes') ?? extensions?.get('hgext.schemes');
  if (path === undefined || path.startsWith('!')) return address;
  const [, scheme, rest] = /^([^:/]+):\/\/([^]*)$/.exec(address.trim()) ?? [];
  const template = new Map([...knownSchemes, ...(settings.get('schemes') ?? [])]).get(scheme);
  if (template === undefined) return address;
  const wanted = Math.max(0, ...Array.from(template.matchAll(/\{(\d+)\}/g), ([, number]) => Number(number)));
  const parts = rest.split('/');
  const tail = parts.slice(wanted).join('/');
  return template.replace(/\{(\d+)\}/g, (_all, number: string) => parts.at(Number(number) - 1) ?? '') + tail;
}
