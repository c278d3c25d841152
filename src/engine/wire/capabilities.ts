import { unquote } from '../bundle/quoting';

/** What a server says that it can do, by the names of the wire protocol. */
export class Capabilities {
  private readonly values: ReadonlyMap<string, string>;
  /** What its bundle2 can do: capability to values. Empty when it has none. */
  readonly bundle2: ReadonlyMap<string, readonly string[]>;

  /** @param text the answer to `capabilities`: words, some with `=value`. */
  constructor(text: string) {
    this.values = new Map(text.split(/\s+/).filter(Boolean).map(splitAtEquals));
    this.bundle2 = parseBundle2Capabilities(this.values.get('bundle2') ?? '');
  }

  has(name: string): boolean {
    return this.values.has(name);
  }

  /** The value of a capability; empty for one without, `undefined` when it is not there. */
  value(name: string): string | undefined {
    return this.values.get(name);
  }

  /** The comma-separated value of a capability as a list. */
  list(name: string): string[] {
    return (this.values.get(name) ?? '').split(',').filter(Boolean);
  }

  /** Whether a stream can be had inside bundle2. */
  get offersStreamV2(): boolean {
    return this.bundle2.get('stream')?.includes('v2') ?? false;
  }

  /** What the legacy stream requires of a client; `undefined` when the server has no legacy stream. */
  get legacyStreamRequirements(): string[] | undefined {
    if (this.has('streamreqs')) return this.list('streamreqs');
    return this.has('stream') ? ['revlogv1'] : undefined;
  }

  /** The longest header line for arguments that the server takes; 0 when they go into the address. */
  get argumentHeaderLength(): number {
    const length = Number(this.value('httpheader')?.split(',')[0] ?? 0);
    return Number.isSafeInteger(length) && length > 64 ? length : 0;
  }

  /** The compression engines that the server can answer with, best first; none when it has no choice to offer. */
  get compressionEngines(): string[] {
    return this.list('compression');
  }

  /** Whether answers of the 0.2 media type can be had, with a choice of compression. */
  get offersMediaType02(): boolean {
    return this.list('httpmediatype').includes('0.2tx');
  }
}

/** Parses the bundle2 blob: URL-quoted lines of `name` or `name=value,value`, each quoted once more. */
export function parseBundle2Capabilities(blob: string): Map<string, string[]> {
  const lines = unquote(blob).split('\n').filter(Boolean);
  return new Map(
    lines.map((line) => {
      const [name, values] = splitAtEquals(line);
      return [unquote(name), values.split(',').filter(Boolean).map(unquote)];
    }),
  );
}

function splitAtEquals(word: string): [string, string] {
  const equals = word.indexOf('=');
  return equals < 0 ? [word, ''] : [word.slice(0, equals), word.slice(equals + 1)];
}
