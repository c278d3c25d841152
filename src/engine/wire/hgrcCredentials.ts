import { expandPath, type Hgrc } from '../store/hgrc';
import { matchLength, sectionEntries } from './hgrcEntries';
import type { Challenge, CredentialProvider, Credentials } from './wireSettings';

/** Credentials of the section `[auth]`, and, where it has none or they were refused, those that `next` finds. */
export function hgrcCredentials(settings: Hgrc, next?: CredentialProvider): CredentialProvider {
  const entries = sectionEntries(settings, 'auth');
  return async (challenge) =>
    (challenge.attempt === 1 ? credentialsFor(challenge, entries) : undefined) ?? (await next?.(challenge));
}

/**
 * The entry with the longest prefix that fits; only `https` where it names no `schemes`. A name in the address has to be
 * that of the entry.
 *
 * @see `hg help config.auth`
 */
function credentialsFor(
  { address, username }: Challenge,
  entries: readonly Map<string, string>[],
): Credentials | undefined {
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
