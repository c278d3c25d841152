import type { Numbers, ReportColumn, ReportHead } from '../../protocol/chainReport';

/** The rows of a report, by column: what was sent, and what follows from it. */
export class ReportTable {
  private readonly derived = new Map<string, Numbers>();

  constructor(
    readonly head: ReportHead,
    private readonly sent: ReadonlyMap<string, Numbers>,
  ) {}

  get count(): number {
    return this.head.count;
  }

  column(key: string): ReportColumn {
    const column = this.head.columns.find((known) => known.key === key);
    if (column === undefined) throw new Error(`There is no column ${key}.`);
    return column;
  }

  has(key: string | undefined): key is string {
    return key !== undefined && this.head.columns.some((column) => column.key === key);
  }

  /** All values of a column; worked out when they are first asked for. Not for names, which are no numbers. */
  values(key: string): Numbers {
    const known = this.sent.get(key) ?? this.derived.get(key);
    if (known !== undefined) return known;
    const values = this.derive(this.column(key));
    this.derived.set(key, values);
    return values;
  }

  value(key: string, row: number): number {
    return this.values(key)[row];
  }

  /** The name of a row in hexadecimal, or a part of it. */
  name(column: ReportColumn, row: number, digits = Infinity): string {
    if (column.source.from !== 'names') return '';
    const { width } = column.source;
    const bytes = this.values(column.key);
    let name = '';
    for (let at = row * width; at < (row + 1) * width && name.length < digits; at++) {
      name += bytes[at].toString(16).padStart(2, '0');
    }
    return name;
  }

  /** The rows of a chain: the whole one first, `row` last. A chain that goes in a circle ends. */
  chainOf(row: number): number[] {
    const bases = this.values(this.head.roles.base);
    const chain: number[] = [];
    for (let link = row; link >= 0 && link < this.count && chain.length <= this.count; link = bases[link]) {
      chain.push(link);
    }
    return chain.reverse();
  }

  private derive({ key, source }: ReportColumn): Numbers {
    const { count } = this;
    switch (source.from) {
      case 'row':
        return Uint32Array.from({ length: count }, (_, row) => row);
      case 'ratio': {
        const [part, whole] = [this.values(source.part), this.values(source.whole)];
        const ratios = new Float64Array(count);
        for (let row = 0; row < count; row++) {
          const ofNothing = source.ofNothing === 'one' ? 1 : part[row];
          ratios[row] = whole[row] === 0 ? ofNothing : part[row] / whole[row];
        }
        return ratios;
      }
      case 'difference': {
        const [of, less] = [this.values(source.of), this.values(source.less)];
        const differences = new Float64Array(count);
        for (let row = 0; row < count; row++) differences[row] = of[row] - less[row];
        return differences;
      }
      default:
        throw new Error(`The values of ${key} did not come.`);
    }
  }
}
