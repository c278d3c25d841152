import assert from 'node:assert/strict';
import { shareOfPull } from '../../src/editor/transfers/shares';
import { Transfer } from '../../src/editor/transfers/transfer';
import type { PhaseProgress } from '../../src/engine/io/operation';

describe('a transfer as a person sees it', () => {
  let now = 0;
  const begin = () => {
    now = 0;
    const actions = { cancel: () => undefined, retry: () => undefined };
    return new Transfer(1, 'Pulling', 'there', 'here', actions, () => now);
  };
  const phase = (name: PhaseProgress['phase'], done: number, more: Partial<PhaseProgress> = {}): PhaseProgress => ({
    type: 'phase',
    phase: name,
    state: 'running',
    done,
    unit: 'revisions',
    ...more,
  });

  const shown = ({ phase: current }: Transfer) => current?.phase;

  it('of a pull shows what is read, not the bytes that come in meanwhile', () => {
    const transfer = begin();
    transfer.note(phase('transfer', 10, { unit: 'bytes' }));
    assert.equal(shown(transfer), 'transfer');
    transfer.note(phase('manifests', 5));
    transfer.note(phase('transfer', 20, { unit: 'bytes' }));
    assert.equal(shown(transfer), 'manifests');
    assert.equal(transfer.phases.get('transfer')?.done, 20);
  });

  it('of a clone goes on from the transfer to the checkout', () => {
    const transfer = begin();
    transfer.note(phase('files', 5));
    transfer.note(phase('transfer', 20, { unit: 'bytes', total: 40 }));
    assert.equal(transfer.fraction, 0.5);
  });

  it('ends a phase that nobody ended when it was heard of last', () => {
    const transfer = begin();
    now = 100;
    transfer.note(phase('transfer', 10, { unit: 'bytes' }));
    now = 300;
    transfer.note(phase('transfer', 20, { unit: 'bytes' }));
    now = 900;
    transfer.finish('done');
    const known = transfer.phases.get('transfer');
    assert.deepEqual([known?.begun, known?.ended], [100, 300]);
  });

  it('leaves the phase open in which it failed', () => {
    const transfer = begin();
    transfer.note(phase('files', 1));
    transfer.finish('failed', 'no');
    assert.equal(transfer.phases.get('files')?.ended, undefined);
  });

  it('of a pull only goes forward, to the whole', () => {
    const transfer = begin();
    const shares = [0];
    const note = (event: PhaseProgress) => {
      transfer.note(event);
      shares.push(shareOfPull(transfer));
    };
    note(phase('discover', 1, { state: 'done' }));
    for (const name of ['changelog', 'manifests', 'files'] as const) {
      note(phase(name, 256));
      note(phase(name, 300, { state: 'done' }));
    }
    note(phase('checkout', 5, { total: 10 }));
    assert.ok((shares.at(-1) ?? 0) > 0.9 && (shares.at(-1) ?? 0) < 1);
    note(phase('checkout', 10, { total: 10, state: 'done' }));
    assert.equal(shares.at(-1), 1);
    assert.deepEqual(
      shares,
      [...shares].sort((one, other) => one - other),
    );
  });
});
