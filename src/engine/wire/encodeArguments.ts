import type { GetbundleArguments } from './peer';

/** Arguments of a command, by name; the values are what goes over the wire before form encoding. */
export type WireArguments = Readonly<Record<string, string>>;

/** Form encoding as the protocol wants it: spaces as `+`, in the order of the names. */
export function encodeForm(args: WireArguments): string {
  return Object.keys(args)
    .sort()
    .map((name) => `${quoteForm(name)}=${quoteForm(args[name])}`)
    .join('&');
}

/**
 * Cuts form-encoded arguments into headers `X-HgArg-1`, `X-HgArg-2` ..., so that no header line, name and separators
 * included, is longer than `lineLength` bytes.
 * @see `hg help internals.wireprotocol`, capability `httpheader`
 */
export function argumentHeaders(form: string, lineLength: number): Record<string, string> {
  const headers: Record<string, string> = {};
  for (let at = 0, index = 1; at < form.length; index++) {
    const name = `X-HgArg-${index}`;
    const room = lineLength - name.length - ': '.length - '\r\n'.length;
    headers[name] = form.slice(at, at + room);
    at += room;
  }
  return headers;
}

/** The arguments of `getbundle` in the form of the wire: lists joined, switches as 0 and 1. */
export function getbundleArguments(args: GetbundleArguments): WireArguments {
  const wire: Record<string, string> = {};
  if (args.heads !== undefined) wire.heads = args.heads.join(' ');
  if (args.common !== undefined) wire.common = args.common.join(' ');
  if (args.bundlecaps !== undefined) wire.bundlecaps = args.bundlecaps.join(',');
  if (args.listkeys !== undefined) wire.listkeys = args.listkeys.join(',');
  for (const name of ['cg', 'phases', 'bookmarks', 'obsmarkers', 'stream', 'cbattempted'] as const) {
    const value = args[name];
    if (value !== undefined) wire[name] = value ? '1' : '0';
  }
  return wire;
}

function quoteForm(text: string): string {
  return encodeURIComponent(text)
    .replace(/%20/g, '+')
    .replace(/[!'()*]/g, (c) => `%${c.charCodeAt(0).toString(16).toUpperCase()}`);
}
