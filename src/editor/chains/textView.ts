/** The most bytes of a text that are shown, and of bytes that are no text. */
export const mostText = 2_000_000;
export const mostHex = 65_536;

/** How the beginning of a revision is shown. */
export interface TextView {
  text: string;
  /** Bytes that are shown. */
  shown: number;
  isHex: boolean;
}

/**
 * What an editor shows of a revision: its text where it is one, else a hex dump.
 * @param isText it is known to be one, whatever is in it: manifests have zero bytes between name and node
 * @param size bytes of the whole revision, of which `bytes` are the beginning
 */
export function viewText(bytes: Uint8Array, size: number, isText: boolean): TextView {
  const decoded = decode(bytes, size > bytes.length, isText);
  if (decoded !== undefined) return { text: decoded, shown: bytes.length, isHex: false };
  const shown = bytes.subarray(0, mostHex);
  return { text: hexDump(shown), shown: shown.length, isHex: true };
}

function decode(bytes: Uint8Array, isCut: boolean, isText: boolean): string | undefined {
  if (isText) return new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes);
  if (bytes.includes(0)) return undefined;
  try {
    // A text that was cut may end inside a letter.
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes, { stream: isCut });
  } catch {
    return undefined;
  }
}

/** Sixteen bytes to a line: where they are, their values, and the letters among them. */
export function hexDump(bytes: Uint8Array): string {
  const lines: string[] = [];
  for (let at = 0; at < bytes.length; at += 16) {
    const row = [...bytes.subarray(at, at + 16)];
    const values = row.map((byte) => byte.toString(16).padStart(2, '0'));
    const halves = [values.slice(0, 8).join(' ').padEnd(23), values.slice(8).join(' ').padEnd(23)].join('  ');
    const letters = row.map((byte) => (byte >= 0x20 && byte < 0x7f ? String.fromCharCode(byte) : '.')).join('');
    lines.push(`${at.toString(16).padStart(8, '0')}  ${halves}  ${letters}\n`);
  }
  return lines.join('');
}
