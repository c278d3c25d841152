import * as l10n from '@vscode/l10n';
import { deepEqual, equal } from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { ReportHead } from '../../src/protocol/chainReport';
import { kindInWords, partInWords } from '../../src/webview/bundle/words';
import { baseInWords, changeInWords, curvesInWords, titleOf } from '../../src/webview/compare/compareModel';
import { filterRows, parseFilter } from '../../src/webview/report/filterRows';
import { ReportTable } from '../../src/webview/report/reportTable';
import { rowNameOf } from '../../src/webview/report/rowName';
import { bytesInWords, numberInWords } from '../../src/webview/shared/words';
import { objectsInWords } from '../../src/webview/transfer/curves';
import { projectRoot } from '../testbed/cachedInstallation';

const read = (path: string) => readFile(join(projectRoot, path), 'utf8');

describe('pages in German', () => {
  before(async () => l10n.config({ contents: await read('l10n/bundle.l10n.de.json') }));
  after(() => l10n.config({ contents: {} }));

  it('say what a bundle is and what it holds', () => {
    equal(kindInWords({ kind: 'HG20', compression: 'zstd' }), 'Bundle der Version 2 (HG20), komprimiert mit zstd.');
    const history = { changesets: 1, manifests: 2, files: 1, fileRevisions: 1200 };
    equal(
      partInWords('changegroup', { history } as Parameters<typeof partInWords>[1]),
      '1 Changeset, 2 Manifeste, 1.200 Revisionen von 1 Datei',
    );
  });

  it('say what a comparison shows', () => {
    equal(titleOf('as-is'), 'wie jetzt');
    equal(baseInWords(8, { p1: 8, p2: 5 }), 'erste Elternrevision 8');
    equal(
      curvesInWords({ revisions: [499, 999], lines: [{ policy: 'zstd-9', lengths: [3, 7] }] }),
      'Linien der Kettenlängen über 1000 Revisionen: zstd-9 bis 7.',
    );
  });

  it('say what a transfer brings', () => {
    equal(
      objectsInWords({ seconds: [1], bytes: [1], kinds: { blob: [1234] } }),
      'Linien der Anzahl von Objekten jeder Art: am Ende 1.234 der Art blob.',
    );
  });

  it('write numbers as Germans do, and take them so in the filter', () => {
    deepEqual([numberInWords(1_234_567), bytesInWords(4200), changeInWords(0.034)], ['1.234.567', '4,2 kB', '+3,4 %']);
    const table = tableOfRatios();
    for (const filter of ['ratio>0,5', 'ratio>0.5']) {
      const parsed = parseFilter(filter, table);
      deepEqual('tests' in parsed ? [...filterRows(table.count, parsed.tests)] : parsed, [1], filter);
    }
    deepEqual(parseFilter('size>1', table), { fault: 'Es gibt keine Spalte size. Es gibt ratio.' });
  });

  it('call the rows of a report by German names, and keep names that are not known', () => {
    const named = (one: string, many: string) => rowNameOf({ rowName: { one, many } });
    deepEqual(named('revision', 'revisions'), { one: 'Revision', many: 'Revisionen' });
    deepEqual(named('object', 'objects'), { one: 'Objekt', many: 'Objekte' });
    deepEqual(named('thing', 'things'), { one: 'thing', many: 'things' });
  });
});

function tableOfRatios(): ReportTable {
  const ratio = { key: 'ratio', label: '', description: '', format: 'ratio', source: { from: 'values' } };
  const head = { count: 2, columns: [ratio], roles: { chainLength: 'ratio' } } as unknown as ReportHead;
  return new ReportTable(head, new Map([['ratio', Float64Array.of(0.25, 0.75)]]));
}
