import * as l10n from '@vscode/l10n';
import { integrityError } from '../io/errors';
import { NameTable } from './nameTable';
import { hexName, type ObjectFormat } from './objectFormat';
import { kindNames, type ObjectKind } from './objectKind';
import type { ObjectStore } from './objectStore';
import { checkObjectSyntax } from './objectSyntax';

/**
 * What `--strict` asks of a pack: every object well formed, and every object that another names in the pack or in the
 * repository, and of the right kind. Names are collected while objects pass, and looked at when all have.
 */
export class LinkCheck {
  private readonly present: NameTable;
  private readonly presentKinds: number[] = [];
  private readonly wanted: NameTable;
  private readonly wantedKinds: number[] = [];
  private readonly note = (names: Uint8Array, at: number, kind: ObjectKind | 0) => {
    const position = this.wanted.add(names, at);
    if (position === this.wantedKinds.length) this.wantedKinds.push(kind);
  };

  constructor(private readonly format: ObjectFormat) {
    this.present = new NameTable(format.nameLength);
    this.wanted = new NameTable(format.nameLength);
  }

  /** @throws `integrity` when the object is out of form. */
  add(kind: ObjectKind, name: Uint8Array, content: Uint8Array, offset: number, packName: string): void {
    const fault = checkObjectSyntax(kind, content, this.format, this.note);
    if (fault !== undefined) {
      throw integrityError(
        l10n.t(
          'The {0} {1} at offset {2} of {3} is not well formed: {4}.',
          kindNames[kind],
          hexName(name),
          offset,
          packName,
          fault,
        ),
        { subject: hexName(name), offset },
      );
    }
    this.addBlob(kind, name);
  }

  /** An object that names no others, or is too large to be looked at whole. */
  addBlob(kind: ObjectKind, name: Uint8Array): void {
    if (this.present.add(name) === this.presentKinds.length) this.presentKinds.push(kind);
  }

  /** @throws `integrity` when an object that another names is missing, or of another kind. */
  finish(store: ObjectStore, packName: string): void {
    for (let position = 0; position < this.wanted.count; position++) {
      const name = this.wanted.at(position);
      const kind = this.wantedKinds[position];
      const inPack = this.present.find(name);
      if (inPack >= 0 && (kind === 0 || this.presentKinds[inPack] === kind)) continue;
      if (inPack < 0 && store.has(name)) continue;
      const what =
        inPack < 0
          ? l10n.t('is neither in the pack nor in the repository')
          : l10n.t('is a {0}', kindNames[this.presentKinds[inPack]]);
      throw integrityError(
        l10n.t(
          'An object of {0} names the {1} {2}, which {3}.',
          packName,
          kind === 0 ? 'object' : kindNames[kind],
          hexName(name),
          what,
        ),
        { subject: hexName(name), advice: l10n.t('Fetch the pack again, or unpack what it builds on first.') },
      );
    }
  }
}
