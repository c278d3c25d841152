import * as l10n from '@vscode/l10n';
import { corruptError, EngineError, integrityError, unsupportedError } from '../io/errors';
import { newHash, sha1Format, sha256Format, type ObjectFormat } from './objectFormat';
import { PagedFile } from './pagedFile';

/** Opens an index whose hash is not known: the size of its parts tells. @throws as the constructor does. */
export function openPackIndex(path: string): PackIndex {
  try {
    return new PackIndex(path, sha1Format);
  } catch (error) {
    if (!(error instanceof EngineError) || error.kind !== 'corrupt') throw error;
    try {
      return new PackIndex(path, sha256Format);
    } catch {
      throw error;
    }
  }
}

/**
 * The `.idx` beside a pack, of version 1 or 2 (`git help gitformat-pack`): names in order, and where in the pack each
 * object is. Looked up through pages, so that its size costs no memory.
 */
export class PackIndex implements Disposable {
  /** Objects in the pack. */
  readonly count: number;
  private readonly file: PagedFile;
  private readonly version: number;
  private readonly fanout = new Uint32Array(256);
  private readonly fanoutAt: number;

  /** @throws `corrupt` when the file is not such an index or its parts do not fit; `unsupported` for other versions. */
  constructor(
    path: string,
    readonly format: ObjectFormat,
  ) {
    this.file = new PagedFile(path);
    try {
      const head = this.file.size >= 8 ? this.file.uint32(0) : 0;
      const isVersioned = head === 0xff74_4f63;
      this.version = isVersioned ? this.file.uint32(4) : 1;
      if (isVersioned && this.version !== 2) {
        throw unsupportedError(l10n.t('{0} is a pack index of version {1}; 1 and 2 are known.', path, this.version), {
          subject: l10n.t('pack index version {0}', this.version),
        });
      }
      this.fanoutAt = isVersioned ? 8 : 0;
      this.count = this.readFanout();
      this.checkSize();
    } catch (error) {
      this[Symbol.dispose]();
      throw error;
    }
  }

  /** Where the object begins in the pack, or -1 when the pack does not have it. */
  find(name: Uint8Array): number {
    let low = name[0] === 0 ? 0 : this.fanout[name[0] - 1];
    let high = this.fanout[name[0]] - 1;
    while (low <= high) {
      const middle = (low + high) >>> 1;
      const order = this.file.compare(name, this.nameAt(middle));
      if (order === 0) return this.offset(middle);
      if (order > 0) low = middle + 1;
      else high = middle - 1;
    }
    return -1;
  }

  /** Where the object at a position of the index begins in the pack. */
  offset(position: number): number {
    if (this.version === 1) return this.file.uint32(this.tables + position * (4 + this.format.nameLength));
    const short = this.file.uint32(this.offsets + position * 4);
    if (short < 0x8000_0000) return short;
    const long = this.offsets + this.count * 4 + (short - 0x8000_0000) * 8;
    if (long + 8 > this.file.size - 2 * this.format.nameLength)
      throw this.corrupt(l10n.t('points past its long offsets'), long);
    const offset = this.file.uint32(long) * 0x1_0000_0000 + this.file.uint32(long + 4);
    if (!Number.isSafeInteger(offset)) throw this.corrupt(l10n.t('has an offset that no pack reaches'), long);
    return offset;
  }

  /** Puts the name at a position of the index into `target`. */
  copyName(position: number, target: Uint8Array, at: number): void {
    const from = this.nameAt(position);
    for (let byte = 0; byte < this.format.nameLength; byte++) target[at + byte] = this.file.byte(from + byte);
  }

  /**
   * Reads the whole index once and compares it with its checksum, and the checksum of its pack with the one given: for
   * those who build on all of it. A look-up does not ask for this.
   * @throws `integrity`.
   */
  verify(packChecksum: Uint8Array): void {
    const { nameLength } = this.format;
    const { size, path } = this.file;
    const hash = newHash(this.format);
    for (let at = 0; at < size - nameLength;) {
      const piece = this.file.bytes(at, size - nameLength);
      hash.update(piece);
      at += piece.length;
    }
    if (this.file.compare(hash.digest(), size - nameLength) !== 0) {
      throw integrityError(l10n.t('The pack index {0} does not have the bytes that its checksum is of.', path), {
        subject: path,
      });
    }
    if (this.file.compare(packChecksum, size - 2 * nameLength) !== 0) {
      throw integrityError(l10n.t('The pack index {0} belongs to another pack.', path), { subject: path });
    }
  }

  [Symbol.dispose](): void {
    this.file[Symbol.dispose]();
  }

  private get tables(): number {
    return this.fanoutAt + 1024;
  }

  /** Where version 2 keeps its offsets of 4 bytes: after names and CRCs. */
  private get offsets(): number {
    return this.tables + this.count * (this.format.nameLength + 4);
  }

  private nameAt(position: number): number {
    const { nameLength } = this.format;
    return this.version === 1 ? this.tables + position * (4 + nameLength) + 4 : this.tables + position * nameLength;
  }

  private readFanout(): number {
    if (this.file.size < this.tables + 2 * this.format.nameLength)
      throw this.corrupt(l10n.t('ends inside its first table'), this.file.size);
    for (let byte = 0; byte < 256; byte++) {
      this.fanout[byte] = this.file.uint32(this.fanoutAt + byte * 4);
      if (byte > 0 && this.fanout[byte] < this.fanout[byte - 1])
        throw this.corrupt(l10n.t('has a first table that falls'), byte * 4);
    }
    return this.fanout[255];
  }

  private checkSize(): void {
    const { nameLength } = this.format;
    const entry = nameLength + (this.version === 1 ? 4 : 8);
    const least = this.tables + this.count * entry + 2 * nameLength;
    const most = this.version === 1 ? least : least + this.count * 8;
    if (this.file.size < least || this.file.size > most) {
      throw this.corrupt(
        l10n.t('has {0} bytes, which do not fit {1} objects', this.file.size, this.count),
        this.file.size,
      );
    }
  }

  private corrupt(what: string, offset: number): Error {
    return corruptError(l10n.t('The pack index {0} {1}.', this.file.path, what), { subject: this.file.path, offset });
  }
}
