/** One way of signing in that a server offers. */
export interface AuthenticationScheme {
  /** In lower case: `basic`, `negotiate`. */
  name: string;
  realm: string;
}

/**
 * The ways of signing in that a `WWW-Authenticate` header offers; several headers come joined by commas.
 * @see RFC 9110, section 11.6.1
 */
export function parseChallenges(header: string): AuthenticationScheme[] {
  const schemes: AuthenticationScheme[] = [];
  for (const [, name, value] of header.matchAll(/([^\s,="]+)(?:\s*=\s*("(?:[^"\\]|\\.)*"|[^\s,]*))?/g)) {
    if ((value as string | undefined) === undefined) schemes.push({ name: name.toLowerCase(), realm: '' });
    else if (name.toLowerCase() === 'realm') {
      const scheme = schemes.at(-1);
      if (scheme !== undefined) scheme.realm = unquoteString(value);
    }
  }
  return schemes;
}

function unquoteString(text: string): string {
  return text.replace(/^"|"$/g, '').replace(/\\(.)/g, '$1');
}
