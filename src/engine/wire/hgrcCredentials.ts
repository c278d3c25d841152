import { expandPath, type Hgrc } from '../store/hgrc';
import type { Challenge, CredentialProvider, Credentials } from './wireSettings';

/** Credentials of the section `[auth]`, and, where it has none or they were refused, those that `next` finds. */
export function hgrcCredentials(settings: Hgrc, next?: CredentialProvider): CredentialProvider {
  const entries = entriesOf(settings);
  return async (challenge) =>
    (challenge.attempt === 1 ? credentialsFor(challenge, entries) : undefined) ?? (await next?.(challenge));
}

type Entry = Map<string, string>;

/** Items such as `name.prefix`, by name. */
function entriesOf(settings: Hgrc): Entry[] {
  const entries = new Map<string, Entry>();
  for (const [item, value] of settings.get('auth') ?? []) {
    const dot = item.lastIndexOf('.');
    if (dot < 0) continue;
    const [name, argument] = [item.slice(0, dot), item.slice(dot + 1)];
    const entry = entries.get(name) ?? new Map<string, string>();
    entries.set(name, entry.set(argument, value));
  }
  return [...entries.values()];
}

/**
 * The entry with the longest prefix that fits: of the address without its scheme, which has to be among the entry's
 * `schemes` (only `https` where it names none), unless the prefix has one itself; `*` fits everything. A name in the
 * address has to be that of the entry.
 *
 * @see `hg help config.auth`
 */
function credentialsFor({ address, username }: Challenge, entries: readonly Entry[]): Credentials | undefined {
  let best: { length: number; credentials: Credentials } | undefined;
  for (const entry of entries) {
    const [prefix, name, password] = ['prefix', 'username', 'password'].map((argument) => entry.get(argument));
    if (prefix === undefined || name === undefined || password === undefined) continue;
    const credentials = { username: expandPath(name), password };
    if (username !== undefined && username !== credentials.username) continue;
    const length = matchLength(address, prefix, entry.get('schemes') ?? 'https');
    if (length > (best?.length ?? 0)) best = { length, credentials };
  }
  return best?.credentials;
}

function matchLength(address: string, written: string, schemesWritten: string): number {
  const [scheme, place] = address.split('://');
  const [, own, prefix] = /^(?:([a-z]+):\/\/)?([^]*?)\/*$/i.exec(written) ?? ['', undefined, written];
  const schemes = own === undefined ? schemesWritten.split(/[\s,]+/) : [own.toLowerCase()];
  if (!schemes.includes(scheme)) return 0;
  if (prefix === '*') return 1;
  // Only whole parts count: what is meant for example.org is not for example.organic.
  const fits = place.startsWith(prefix) && /^([/:]|$)/.test(place.slice(prefix.length));
  return fits ? prefix.length : 0;
}
