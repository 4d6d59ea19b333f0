import { conflict } from '@vireo/api';
import type { Vm } from '@vireo/api/kinds/kubevirt/vm.ts';
import { SOURCE_PROTECTION } from '@vireo/api/kinds/snapshot/names.ts';
import { persisted } from '@vireo/api/testing/persisted.ts';
import { Client } from '@vireo/kube';
import { describe, expect, it } from 'vitest';
import { vmWith } from '../testing/objects.ts';
import { snapshotActions } from './act.ts';
import type { Snapshot } from './kinds.ts';

const snapshot: Snapshot = persisted({
  apiVersion: 'snapshot.kubevirt.io/v1beta1',
  kind: 'VirtualMachineSnapshot',
  metadata: { name: 'first', namespace: 'shop', uid: 's' },
  spec: { source: { apiGroup: 'kubevirt.io', kind: 'VirtualMachine', name: 'web' } },
});

/** A server with one VM, which takes only so many writes before somebody else's come in between. */
function serverWith(vm: Vm, mostWrites = Number.POSITIVE_INFINITY) {
  let stored = vm;
  let writes = 0;
  const refusal = conflict({ group: 'kubevirt.io', resource: 'virtualmachines' }, 'web', 'it has changed');
  const client = new Client({
    call: async ({ path, body }) => {
      if (++writes > mostWrites) return { status: 409, headers: {}, body: refusal.status };
      const { metadata, status } = body as { metadata: Vm['metadata']; status?: Vm['status'] };
      stored = path.endsWith('/status')
        ? { ...stored, status: { ...stored.status, ...status } }
        : { ...stored, metadata: { ...stored.metadata, ...metadata } };
      return { status: 200, headers: {}, body: stored };
    },
    watch: () => Promise.reject(new Error('nobody watches here')),
    close: async () => {},
  });
  return { act: snapshotActions(client, { event: () => {} }), vm: () => stored, writes: () => writes };
}

const isKept = ({ metadata }: Vm): boolean => metadata.finalizers?.includes(SOURCE_PROTECTION) ?? false;

describe('a VM that is held for a snapshot', () => {
  it('names the snapshot in its status, and keeps a finalizer', async () => {
    const { act, vm, writes } = serverWith(vmWith());
    await act.lock(vmWith(), snapshot);
    expect([vm().status?.snapshotInProgress, isKept(vm())]).toEqual(['first', true]);
    await act.lock(vm(), snapshot);
    expect(writes()).toBe(2);
  });

  it('is never kept without saying for which: nobody would let it go', async () => {
    const { act, vm } = serverWith(vmWith(), 1);
    await expect(act.lock(vmWith(), snapshot)).rejects.toMatchObject({ reason: 'Conflict' });
    expect([vm().status?.snapshotInProgress, isKept(vm())]).toEqual(['first', false]);
  });

  it('is not kept when it is about to go', async () => {
    const going = vmWith({}, { snapshotInProgress: 'first' }, { deletionTimestamp: '2026-01-01T12:00:00Z' });
    const { act, writes } = serverWith(going);
    await act.lock(going, snapshot);
    expect(writes()).toBe(0);
  });
});
