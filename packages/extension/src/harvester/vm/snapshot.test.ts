import { describe, expect, it } from 'vitest';
import { outcome } from '../../testing/outcome.ts';
import { vmiWith, vmWith } from '../../testing/vms.ts';
import { cloneOf } from './clone.ts';
import { restore, snapshot } from './snapshot.ts';

const conflict = (why: string): string =>
  `409 Operation cannot be fulfilled on virtualmachine.kubevirt.io "web": ${why}`;
const going = { ...vmiWith(), metadata: { ...vmiWith().metadata, deletionTimestamp: '2026-01-01T00:00:00Z' } };

describe('snapshot', () => {
  it('without a name only says that it could be done', () => {
    expect(outcome(snapshot, { vm: vmWith(), vmi: vmiWith() })).toEqual({ type: 'write', writes: [] });
    expect(outcome(snapshot, { vm: vmWith() }, { body: { name: '' } })).toEqual({ type: 'write', writes: [] });
  });

  it.each([
    [{ vm: vmWith({ status: { snapshotInProgress: 'first' } }) }, 'snapshot "first" is in progress'],
    [{ vm: vmWith(), vmi: going }, 'it is being deleted or stopped'],
    [{ vm: vmWith(), vmi: vmiWith({ phase: 'Scheduling' }) }, 'its VMI is Scheduling'],
  ])('is refused, and not offered, where it cannot be done: %#', (target, why) => {
    expect(outcome(snapshot, target, { body: { name: 'x' } })).toBe(conflict(why));
    expect(snapshot.isListed?.(target, { client: undefined as never })).toBe(false);
  });
});

describe('restore', () => {
  const body = { name: 'back', backupName: 'first' };
  it.each([
    [{ vm: vmWith(), vmi: vmiWith() }, 'it must be stopped before it can be restored'],
    [{ vm: vmWith({ status: { snapshotInProgress: 'first' } }) }, 'snapshot "first" is in progress'],
    [{ vm: vmWith({ status: { restoreInProgress: 'other' } }) }, 'restore "other" is in progress'],
  ])('is refused where it cannot be done: %#', (target, why) => {
    expect(outcome(restore, target, { body })).toBe(conflict(why));
  });
});

describe('a clone', () => {
  const operations = (...given: Parameters<typeof cloneOf>) =>
    cloneOf(...given).spec.patches?.map((patch) => JSON.parse(patch) as object);

  it('runs as the VM does, and is called by its own name', () => {
    expect(operations(vmWith({ runStrategy: 'Manual' }), { targetVm: 'twin' })).toEqual([
      { op: 'add', path: '/spec/runStrategy', value: 'Manual' },
      { op: 'add', path: '/spec/template/spec/hostname', value: 'twin' },
    ]);
  });

  it('runs as is asked for; the old form of the strategy goes', () => {
    expect(operations(vmWith({ running: true }), { targetVm: 'twin', runStrategy: 'Halted' })).toEqual([
      { op: 'remove', path: '/spec/running' },
      { op: 'add', path: '/spec/runStrategy', value: 'Halted' },
      { op: 'add', path: '/spec/template/spec/hostname', value: 'twin' },
    ]);
  });
});
