import { RESTORE_PROTECTION } from '@vireo/api/kinds/snapshot/names.ts';
import { expect, it, vi } from 'vitest';
import type { Vm } from '../kinds.ts';
import { vmiWith, vmWith } from '../testing/objects.ts';
import type { RestoreActions } from './act.ts';
import type { Restore } from './kinds.ts';
import { type RestoreParts, type RestoreState, reconcileRestore } from './reconcile.ts';

const restoreWith = (status: Restore['status']): Restore => ({
  apiVersion: 'snapshot.kubevirt.io/v1beta1',
  kind: 'VirtualMachineRestore',
  metadata: {
    name: 'back',
    namespace: 'shop',
    uid: 'r-1',
    finalizers: [RESTORE_PROTECTION],
    ownerReferences: [{ apiVersion: 'kubevirt.io/v1', kind: 'VirtualMachine', name: 'web', uid: 'vm-1' }],
  },
  spec: {
    target: { apiGroup: 'kubevirt.io', kind: 'VirtualMachine', name: 'web' },
    virtualMachineSnapshotName: 'first',
  },
  status,
});

/** What the conditions say after a step of a restore whose snapshot is gone. */
async function said(restore: Restore, vm: Vm): Promise<string[]> {
  const writeStatus = vi.fn<RestoreActions['writeStatus']>(async (written) => written);
  const state: Partial<RestoreState> = { restore, vm, now: new Date('2026-01-01T12:00:00Z') };
  const act: Partial<RestoreActions> = { writeStatus };
  const parts: Partial<RestoreParts> = { act: act as RestoreActions, recorder: { event: () => {} } };
  await reconcileRestore(state as RestoreState, parts as RestoreParts);
  const [, status] = writeStatus.mock.calls[0] ?? [];
  return (status?.conditions ?? []).map(({ type, status: is, reason }) => `${type} ${is}: ${reason}`);
}

it('waits for a snapshot that is not there, and holds nobody', async () => {
  expect(await said(restoreWith({ complete: false }), vmWith())).toEqual(
    expect.arrayContaining(['Ready False: VirtualMachineSnapshot first does not exist']),
  );
});

it.each<[string, Restore, Vm]>([
  ['holds its machine', restoreWith({ complete: false }), vmWith({}, { restoreInProgress: 'back' })],
  ['has begun', restoreWith({ complete: false, restores: [] }), vmWith()],
])('fails where its snapshot goes while it %s', async (_, restore, vm) => {
  expect(await said(restore, vm)).toContain(
    'Failure True: VirtualMachineSnapshot first was deleted while it was being restored',
  );
});

it('lets go of a machine that was started before it was held, and stops it', async () => {
  const done: string[] = [];
  const note = (what: string) => async (): Promise<void> => void done.push(what);
  const act: Partial<RestoreActions> = {
    unlock: note('let go'),
    writeStatus: async (written) => {
      done.push('told');
      return written;
    },
  };
  const restore = restoreWith({ complete: false });
  const state: Partial<RestoreState> = {
    restore: { ...restore, spec: { ...restore.spec, targetReadinessPolicy: 'StopTarget' } },
    vm: vmWith({}, { restoreInProgress: 'back' }),
    vmi: vmiWith({ phase: 'Running' }),
    now: new Date(),
  };
  const machines: Partial<RestoreParts['machines']> = { stop: note('stopped') };
  const parts: Partial<RestoreParts> = {
    act: act as RestoreActions,
    machines: machines as RestoreParts['machines'],
    recorder: { event: () => {} },
  };
  await reconcileRestore(state as RestoreState, parts as RestoreParts);
  expect(done).toEqual(['let go', 'stopped', 'told']);
});
