import * as l10n from '@vscode/l10n';
/**
 * Git's delta format (`git help gitformat-pack`, "Deltified representation"): the base's size, the result's size, then
 * instructions that copy from the base or insert bytes of their own. Offsets and sizes are doubles.
 */

/** Bytes that the two sizes take at most. */
export const longestDeltaHeader = 20;

/** Why a delta cannot be applied; the caller adds where it was found. */
export class DeltaFault extends Error {
  /** @param at the byte of the delta where the fault shows. */
  constructor(
    message: string,
    readonly at: number,
  ) {
    super(message);
  }
}

/** The two sizes at the head of a delta, and where its instructions begin. */
export interface DeltaSizes {
  baseSize: number;
  resultSize: number;
  start: number;
}

/** @throws {DeltaFault} when the delta ends before its sizes do. */
export function readDeltaSizes(delta: Uint8Array): DeltaSizes {
  const base = readSize(delta, 0);
  const result = readSize(delta, base.next);
  return { baseSize: base.value, resultSize: result.value, start: result.next };
}

function readSize(bytes: Uint8Array, at: number): { value: number; next: number } {
  let value = 0;
  let scale = 1;
  let next = at;
  for (;;) {
    if (next >= bytes.length) throw new DeltaFault(l10n.t('it ends inside its sizes'), next);
    const byte = bytes[next++];
    value += (byte & 127) * scale;
    if (byte < 128) break;
    scale *= 128;
    if (next - at > 8) throw new DeltaFault(l10n.t('it claims a size that no object can have'), at);
  }
  return { value, next };
}

/**
 * Builds the result of `delta` on `base` in memory. A hot loop: no allocation but the result itself.
 * @throws {DeltaFault} when sizes do not agree, an instruction is reserved, or one reaches past base, delta or result.
 */
export function applyDelta(base: Uint8Array, delta: Uint8Array): Uint8Array {
  const { baseSize, resultSize, start } = readDeltaSizes(delta);
  if (baseSize !== base.length) throw wrongBase(baseSize, base.length);
  const result = Buffer.allocUnsafe(resultSize);
  const end = delta.length;
  let at = start;
  let filled = 0;
  while (at < end) {
    const opcode = delta[at];
    const instruction = at++;
    if (opcode >= 128) {
      const next = at + copyArguments[opcode & 127];
      if (next > end) throw new DeltaFault(l10n.t('it ends inside a copy instruction'), instruction);
      let from = 0;
      let length = 0;
      if (opcode & 1) from = delta[at++];
      if (opcode & 2) from += delta[at++] * 0x100;
      if (opcode & 4) from += delta[at++] * 0x1_0000;
      if (opcode & 8) from += delta[at++] * 0x100_0000;
      if (opcode & 16) length = delta[at++];
      if (opcode & 32) length += delta[at++] * 0x100;
      if (opcode & 64) length += delta[at++] * 0x1_0000;
      if (length === 0) length = 0x1_0000;
      if (from + length > baseSize) throw pastBase(from, length, baseSize, instruction);
      if (filled + length > resultSize) throw pastResult(filled + length, resultSize, instruction);
      if (length < 24) for (let byte = 0; byte < length; byte++) result[filled + byte] = base[from + byte];
      else result.set(base.subarray(from, from + length), filled);
      filled += length;
    } else {
      if (opcode === 0) throw reserved(instruction);
      if (at + opcode > end) throw new DeltaFault(l10n.t('it ends inside the bytes it inserts'), instruction);
      if (filled + opcode > resultSize) throw pastResult(filled + opcode, resultSize, instruction);
      for (let byte = 0; byte < opcode; byte++) result[filled + byte] = delta[at + byte];
      at += opcode;
      filled += opcode;
    }
  }
  if (filled !== resultSize) throw shortResult(filled, resultSize, at);
  return result;
}

/** How many argument bytes follow a copy instruction, by its seven low bits: one for each that is set. */
export const copyArguments = Uint8Array.from({ length: 128 }, (_, bits) => {
  let count = 0;
  for (let rest = bits; rest !== 0; rest >>= 1) count += rest & 1;
  return count;
});

export const wrongBase = (claimed: number, real: number) =>
  new DeltaFault(l10n.t('it is made for a base of {0} bytes, and its base has {1}', claimed, real), 0);
export const pastBase = (from: number, length: number, size: number, at: number) =>
  new DeltaFault(l10n.t('it copies {0} bytes from {1} of a base that has {2}', length, from, size), at);
export const pastResult = (reached: number, size: number, at: number) =>
  new DeltaFault(l10n.t('it writes {0} bytes of a result that has {1}', reached, size), at);
export const shortResult = (reached: number, size: number, at: number) =>
  new DeltaFault(l10n.t('it ends with {0} of {1} bytes built', reached, size), at);
export const reserved = (at: number) => new DeltaFault(l10n.t('it has an instruction that is reserved'), at);
