import { ContentFile, type Content } from './content';

const mostFiles = 4;

/**
 * Content that deltas may be built on, the last used first to stay. What is too much for memory is not lost: each object
 * is in its loose file, and can be inflated again. Content in files is bounded by number.
 */
export class BaseCache implements Disposable {
  private readonly inMemory = new Map<number, Uint8Array>();
  private readonly inFiles = new Map<number, ContentFile>();
  private bytes = 0;

  constructor(private readonly mostBytes: number) {}

  get(key: number): Content | undefined {
    const content = this.inMemory.get(key);
    if (content === undefined) return this.inFiles.get(key);
    this.inMemory.delete(key);
    this.inMemory.set(key, content);
    return content;
  }

  put(key: number, content: Content): void {
    if (content instanceof ContentFile) {
      this.putFile(key, content);
      return;
    }
    if (content.length > this.mostBytes / 2) return;
    this.bytes += content.length - (this.inMemory.get(key)?.length ?? 0);
    this.inMemory.set(key, content);
    for (const [oldest, { length }] of this.inMemory) {
      if (this.bytes <= this.mostBytes) break;
      this.inMemory.delete(oldest);
      this.bytes -= length;
    }
  }

  [Symbol.dispose](): void {
    for (const file of this.inFiles.values()) file[Symbol.dispose]();
    this.inFiles.clear();
    this.inMemory.clear();
    this.bytes = 0;
  }

  private putFile(key: number, content: ContentFile): void {
    this.inFiles.set(key, content);
    for (const [oldest, file] of this.inFiles) {
      if (this.inFiles.size <= mostFiles) break;
      this.inFiles.delete(oldest);
      file[Symbol.dispose]();
    }
  }
}
