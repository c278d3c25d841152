import * as l10n from '@vscode/l10n';
import { contentBytes, contentSize, type Content } from './content';
import {
  applyDelta,
  copyArguments,
  DeltaFault,
  longestDeltaHeader,
  pastBase,
  pastResult,
  readDeltaSizes,
  reserved,
  shortResult,
  wrongBase,
  type DeltaSizes,
} from './delta';

const pieceSize = 256 * 1024;
const readAhead = 64 * 1024;

/** The sizes at the head of a delta, wherever it is. */
export function deltaSizesOf(delta: Content): DeltaSizes {
  return readDeltaSizes(contentBytes(delta, 0, Math.min(longestDeltaHeader, contentSize(delta))));
}

/** Whether base, delta and result may all be in memory. */
export function fitsInMemory(base: Content, delta: Content, limit: number): boolean {
  return base instanceof Uint8Array && delta instanceof Uint8Array && readDeltaSizes(delta).resultSize <= limit;
}

/**
 * The result of a delta in pieces of a fixed size, with base and delta in files or in memory. Each piece is valid until
 * the next is asked for.
 * @throws {DeltaFault} as `applyDelta` does.
 */
export function* deltaPieces(base: Content, delta: Content): Generator<Uint8Array> {
  if (base instanceof Uint8Array && delta instanceof Uint8Array && readDeltaSizes(delta).resultSize <= pieceSize) {
    yield applyDelta(base, delta);
    return;
  }
  const { baseSize, resultSize, start } = deltaSizesOf(delta);
  if (baseSize !== contentSize(base)) throw wrongBase(baseSize, contentSize(base));
  const instructions = new ContentReader(delta, start);
  const piece = new Uint8Array(pieceSize);
  let inPiece = 0;
  let filled = 0;
  while (!instructions.atEnd) {
    const instruction = instructions.at;
    const opcode = instructions.byte();
    if (opcode === 0) throw reserved(instruction);
    let from = 0;
    let left = opcode;
    if (opcode >= 128) {
      if (instructions.left < copyArguments[opcode & 127])
        throw new DeltaFault(l10n.t('it ends inside a copy instruction'), instruction);
      for (let bit = 0, scale = 1; bit < 4; bit++, scale *= 256)
        if (opcode & (1 << bit)) from += instructions.byte() * scale;
      left = 0;
      for (let bit = 4, scale = 1; bit < 7; bit++, scale *= 256)
        if (opcode & (1 << bit)) left += instructions.byte() * scale;
      if (left === 0) left = 0x1_0000;
      if (from + left > baseSize) throw pastBase(from, left, baseSize, instruction);
    } else if (instructions.left < opcode)
      throw new DeltaFault(l10n.t('it ends inside the bytes it inserts'), instruction);
    if (filled + left > resultSize) throw pastResult(filled + left, resultSize, instruction);
    filled += left;
    while (left > 0) {
      const length = Math.min(left, pieceSize - inPiece);
      piece.set(opcode >= 128 ? contentBytes(base, from, length) : instructions.bytes(length), inPiece);
      from += length;
      left -= length;
      inPiece += length;
      if (inPiece === pieceSize) {
        yield piece;
        inPiece = 0;
      }
    }
  }
  if (filled !== resultSize) throw shortResult(filled, resultSize, instructions.at);
  if (inPiece > 0) yield piece.subarray(0, inPiece);
}

/** Reads content in order, a block at a time. */
class ContentReader {
  private readonly size: number;
  private block: Uint8Array = new Uint8Array(0);
  private blockAt: number;
  private inBlock = 0;

  constructor(
    private readonly content: Content,
    start: number,
  ) {
    this.size = contentSize(content);
    this.blockAt = start;
  }

  get at(): number {
    return this.blockAt + this.inBlock;
  }

  get left(): number {
    return this.size - this.at;
  }

  get atEnd(): boolean {
    return this.left === 0;
  }

  /** The next byte, which must exist. */
  byte(): number {
    if (this.inBlock === this.block.length) this.load();
    return this.block[this.inBlock++];
  }

  /** The next bytes, which must exist; at most 127. */
  bytes(length: number): Uint8Array {
    if (this.inBlock + length > this.block.length) this.load();
    const bytes = this.block.subarray(this.inBlock, this.inBlock + length);
    this.inBlock += length;
    return bytes;
  }

  private load(): void {
    this.blockAt = this.at;
    this.inBlock = 0;
    this.block = contentBytes(this.content, this.blockAt, Math.min(readAhead, this.size - this.blockAt));
  }
}
