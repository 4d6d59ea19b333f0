import { ApiError } from '@vireo/api';
import type { Vm } from '@vireo/api/kinds/kubevirt/vm.ts';
import { LAST_RESTORE, RESTORE_PROTECTION } from '@vireo/api/kinds/snapshot/names.ts';
import { persisted } from '@vireo/api/testing/persisted.ts';
import { expect, it, vi } from 'vitest';
import { vmiWith, vmWith } from '../testing/objects.ts';
import type { RestoreActions } from './act.ts';
import { type Restore, restoreMark } from './kinds.ts';
import { type RestoreParts, type RestoreState, reconcileRestore } from './reconcile.ts';

const restoreWith = (status: Restore['status']): Restore =>
  persisted({
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
async function conditions(restore: Restore, vm: Vm): Promise<string[]> {
  const writeStatus = vi.fn<RestoreActions['writeStatus']>(async (written) => written);
  const state: Partial<RestoreState> = { restore, vm, now: new Date('2026-01-01T12:00:00Z') };
  const act: Partial<RestoreActions> = { writeStatus };
  const parts: Partial<RestoreParts> = { act: act as RestoreActions, recorder: { event: () => {} } };
  await reconcileRestore(state as RestoreState, parts as RestoreParts);
  const [, status] = writeStatus.mock.calls[0] ?? [];
  return (status?.conditions ?? []).map(({ type, status: is, reason }) => `${type} ${is}: ${reason}`);
}

it('a restore waits for a snapshot that is not there, and locks no VM', async () => {
  expect(await conditions(restoreWith({ complete: false }), vmWith())).toEqual(
    expect.arrayContaining(['Ready False: VirtualMachineSnapshot first does not exist']),
  );
});

it.each<[string, Restore, Vm]>([
  ['holds its VM', restoreWith({ complete: false }), vmWith({}, { restoreInProgress: 'back' })],
  ['has begun', restoreWith({ complete: false, restores: [] }), vmWith()],
])('a restore fails where its snapshot is deleted while it %s', async (_, restore, vm) => {
  expect(await conditions(restore, vm)).toContain(
    'Failure True: VirtualMachineSnapshot first was deleted while it was being restored',
  );
});

it('a restore unlocks a VM that was started before it was locked, and stops it', async () => {
  const done: string[] = [];
  const note = (what: string) => async (): Promise<void> => void done.push(what);
  const act: Partial<RestoreActions> = {
    unlock: note('let go'),
    writeStatus: async (written) => {
      done.push('wrote status');
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
  const subresources: Partial<RestoreParts['subresources']> = { stop: note('stopped') };
  const parts: Partial<RestoreParts> = {
    act: act as RestoreActions,
    subresources: subresources as RestoreParts['subresources'],
    recorder: { event: () => {} },
  };
  await reconcileRestore(state as RestoreState, parts as RestoreParts);
  expect(done).toEqual(['let go', 'stopped', 'wrote status']);
});

/** A VM on the claim `data`, and a snapshot of it that goes back in its place. */
const inPlace = (claimAnnotations: Record<string, string> = {}): RestoreState => {
  const restore = restoreWith({
    complete: false,
    restores: [{ volumeName: 'data', persistentVolumeClaim: 'data', volumeSnapshotName: 'vs-data' }],
  });
  const volumes = [{ name: 'data', persistentVolumeClaim: { claimName: 'data' } }];
  const vm = vmWith({}, { restoreInProgress: 'back' });
  const template = { spec: { domain: { devices: {} }, volumes } };
  const kept = { metadata: { name: 'web', namespace: 'shop' }, spec: { ...vm.spec, template } };
  const volumeBackups = [
    { volumeName: 'data', volumeSnapshotName: 'vs-data', persistentVolumeClaim: { metadata: { name: 'data' } } },
  ];
  const state: Partial<RestoreState> = {
    restore: { ...restore, spec: { ...restore.spec, volumeRestorePolicy: 'InPlace' } },
    vm: { ...vm, spec: { ...vm.spec, runStrategy: 'Halted', template } },
    snapshot: { metadata: {}, status: { readyToUse: true, sourceUID: vm.metadata.uid } } as RestoreState['snapshot'],
    content: { spec: { source: { virtualMachine: kept }, volumeBackups } } as unknown as RestoreState['content'],
    claim: (name) =>
      persisted({
        apiVersion: 'v1',
        kind: 'PersistentVolumeClaim',
        metadata: { name, annotations: claimAnnotations },
        status: { phase: 'Bound' },
      }),
    dataVolume: () => undefined,
    now: new Date('2026-01-01T12:00:00Z'),
  };
  return state as RestoreState;
};

/** What is done in a step where the server answers the write of the VM with this error. */
async function doneIn(state: RestoreState, refusal?: ApiError): Promise<string[]> {
  const done: string[] = [];
  const act: Partial<RestoreActions> = {
    writeStatus: async (restore, { conditions = [] }) => {
      done.push(`wrote status: ${conditions.find(({ status }) => status === 'True')?.reason}`);
      return restore;
    },
    remove: async (_, { metadata }) => void done.push(`removed ${metadata.name}`),
    copyRevisions: async () => new Map(),
    replaceSpec: async (vm, _spec, _restore, { dryRun } = { dryRun: false }) => {
      done.push(dryRun ? 'tried' : 'wrote');
      if (refusal) throw refusal;
      return vm;
    },
    unlock: async () => {},
    release: async () => void done.push('let go'),
  };
  const parts: Partial<RestoreParts> = { act: act as RestoreActions, recorder: { event: () => {} } };
  await reconcileRestore(state, parts as RestoreParts);
  return done;
}

it('no disk is replaced for a VM that the server does not take', async () => {
  expect(await doneIn(inPlace(), new ApiError('Invalid', 'no such model'))).toEqual([
    'tried',
    'wrote status: no such model',
  ]);
  await expect(doneIn(inPlace(), new ApiError('InternalError', 'no answer'))).rejects.toThrow('no answer');
  expect((await doneIn(inPlace())).slice(0, 2)).toEqual(['tried', 'removed data']);
});

it('a disk that was restored in its place stays when the restore goes before its end', async () => {
  const state = inPlace({ [LAST_RESTORE]: restoreMark(inPlace().restore) });
  const metadata = { ...state.restore.metadata, deletionTimestamp: '2026-01-01T12:00:00Z' };
  const going = { ...state, restore: { ...state.restore, metadata } };
  expect(await doneIn(going)).toEqual(['let go']);
  // The same where the snapshot is gone by then.
  expect(await doneIn({ ...going, content: undefined, vm: undefined })).toEqual(['let go']);
});
