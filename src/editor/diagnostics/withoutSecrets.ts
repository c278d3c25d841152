const hidden = '…';
const scheme = '[a-z][a-z0-9+.-]*:[/\\\\]{2}';
/** From one address to the next, or to the end of the line. */
const address = new RegExp(`(${scheme})((?:(?!${scheme})[^\\r\\n])*)@`, 'gi');
/** `user:password@host`, as in SSH's own addresses. */
const bareUser = /[^\s"'<>:@/\\(]+:[^\s"'<>@/\\]+@(?=[\w[])/g;
const headers = /\b((?:proxy-)?authorization|(?:set-)?cookie)(["']?\s*[:=])[^\r\n]*/gi;
const argument = /([?&;#])([^=&;#\s"'<>]+)=([^&;#\s"'<>]+)/g;
/** Names of a query's arguments whose value opens something. */
const secretName = /tok|key|secret|pass|pwd|auth|sig|cred|session|code/i;

/**
 * The text without what opens something: user names and passwords of addresses, secrets in their queries, headers that
 * carry either. A password may hold any sign, also those that end an address elsewhere: what stands between an address's
 * scheme and the last @ of its line goes, even where that is more than a password.
 */
export function withoutSecrets(text: string): string {
  return text
    .replace(headers, `$1$2 ${hidden}`)
    .replace(address, `$1${hidden}@`)
    .replace(argument, (whole, sign: string, name: string) =>
      secretName.test(decoded(name)) ? `${sign}${name}=${hidden}` : whole,
    )
    .replace(bareUser, `${hidden}@`);
}

function decoded(name: string): string {
  try {
    return decodeURIComponent(name);
  } catch {
    return name;
  }
}
