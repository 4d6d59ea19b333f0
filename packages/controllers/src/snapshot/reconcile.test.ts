import { internalError } from '@vireo/api';
import type { Vmi } from '@vireo/api/kinds/kubevirt/vmi.ts';
import { SNAPSHOT_PROTECTION } from '@vireo/api/kinds/snapshot/names.ts';
import { persisted } from '@vireo/api/testing/persisted.ts';
import { expect, it } from 'vitest';
import { vmiWith, vmWith } from '../testing/objects.ts';
import type { SnapshotActions } from './act.ts';
import type { Content, Snapshot } from './kinds.ts';
import { reconcileSnapshot, type SnapshotCase } from './reconcile.ts';

const NOW = Date.parse('2026-01-01T12:00:00Z');
const ago = (seconds: number): string => new Date(NOW - seconds * 1000).toISOString();

/** Everything that is done, in words. */
function witness(freezes: boolean, thaws = true, held: Vmi | undefined = vmiWith({ phase: 'Running' })) {
  const done: string[] = [];
  const statuses: NonNullable<Snapshot['status']>[] = [];
  const nothing = async (): Promise<void> => {};
  const act: SnapshotActions = {
    setFinalizers: nothing,
    writeStatus: async (snapshot, status) => {
      statuses.push(status);
      return { ...snapshot, status };
    },
    lock: nothing,
    unlock: async () => void done.push('unlock'),
    holdVmi: async () => held,
    createContent: async () => void done.push('create content'),
    deleteContent: async () => void done.push('delete content'),
    writeContentStatus: async () => true,
    createVolumeSnapshot: async () => void done.push('take'),
    copyRevisions: nothing,
  };
  const subresources = {
    freeze: async () => {
      done.push('freeze');
      if (!freezes) throw internalError('the guest agent says no');
    },
    thaw: async () => {
      done.push('thaw');
      if (!thaws) throw internalError('the guest agent is not responding');
    },
    stop: nothing,
  };
  return { parts: { act, subresources, recorder: { event: () => {} } }, done, statuses };
}

const snapshot = (status: Snapshot['status']): Snapshot =>
  persisted({
    apiVersion: 'snapshot.kubevirt.io/v1beta1',
    kind: 'VirtualMachineSnapshot',
    metadata: { name: 'first', uid: 's', creationTimestamp: ago(60), finalizers: [SNAPSHOT_PROTECTION] },
    spec: { source: { apiGroup: 'kubevirt.io', kind: 'VirtualMachine', name: 'web' } },
    ...(status && { status }),
  });

const content = (ageSeconds: number): Content =>
  persisted({
    apiVersion: 'snapshot.kubevirt.io/v1beta1',
    kind: 'VirtualMachineSnapshotContent',
    metadata: { name: 'c', uid: 'c', creationTimestamp: ago(ageSeconds) },
    spec: {
      source: {},
      volumeBackups: [{ volumeName: 'root', persistentVolumeClaim: {}, volumeSnapshotName: 'vs' }],
    },
  });

const state = (more: Partial<SnapshotCase>): SnapshotCase => ({
  snapshot: snapshot({ phase: 'InProgress' }),
  vm: vmWith({}, { snapshotInProgress: 'first' }),
  vmi: vmiWith({ phase: 'Running', conditions: [{ type: 'AgentConnected', status: 'True' }] }),
  content: content(1),
  volumes: [
    {
      volume: 'root',
      claimName: 'c',
      claim: undefined,
      snapshotClass: { apiVersion: '', kind: '', metadata: { name: 'local' }, driver: 'd', deletionPolicy: 'Delete' },
    },
  ],
  taken: [],
  started: undefined,
  nowMs: NOW,
  ...more,
});

it('the snapshot controller snapshots the disks of a frozen guest', async () => {
  const { parts, done, statuses } = witness(true);
  await reconcileSnapshot(state({}), parts);
  expect(done).toEqual(['freeze', 'take']);
  expect(statuses.at(-1)?.indications).toEqual(['GuestAgent', 'Online']);
});

it('a guest that could not freeze is asked again, and no disk is snapshotted meanwhile', async () => {
  const { parts, done, statuses } = witness(false);
  expect(await reconcileSnapshot(state({}), parts)).toEqual({ requeueAfterMs: 5000 });
  expect(done).toEqual(['freeze']);
  expect(statuses.at(-1)?.error?.message).toMatch(
    /^cannot freeze the file systems of the guest: .*the guest agent says no$/,
  );
});

it('a guest that never freezes is snapshotted unfrozen after a while, with an indication', async () => {
  const { parts, done, statuses } = witness(false);
  await reconcileSnapshot(state({ content: content(30) }), parts);
  expect(done).toEqual(['freeze', 'take']);
  expect(statuses.at(-1)?.indications).toEqual(['Online', 'QuiesceFailed']);
});

it('a failed snapshot thaws and unlocks its VM, and no other', async () => {
  const failed = snapshot({ phase: 'Failed' });
  const { parts, done } = witness(true);
  await reconcileSnapshot(state({ snapshot: failed }), parts);
  expect(done).toEqual(['thaw', 'unlock', 'delete content']);
  const other = witness(true);
  await reconcileSnapshot(state({ snapshot: failed, vm: vmWith({}, { snapshotInProgress: 'next' }) }), other.parts);
  expect(other.done).toEqual(['delete content']);
});

it('a failed snapshot unlocks its VM even when the guest no longer answers', async () => {
  const { parts, done } = witness(true, false);
  await reconcileSnapshot(state({ snapshot: snapshot({ phase: 'Failed' }) }), parts);
  expect(done).toEqual(['thaw', 'unlock', 'delete content']);
});

it('a snapshot waits for a guest that began to move before its VM was held', async () => {
  const moving = vmiWith({ phase: 'Running', migrationState: { migrationUid: 'm' } });
  const { parts, done, statuses } = witness(true, true, moving);
  // What the cache shows is older.
  expect(await reconcileSnapshot(state({ content: undefined }), parts)).toEqual({ requeueAfterMs: 5000 });
  expect(done).toEqual([]);
  expect(statuses.at(-1)?.conditions).toContainEqual(
    expect.objectContaining({ type: 'Progressing', reason: 'the VM is migrating' }),
  );
  const settled = witness(true);
  await reconcileSnapshot(state({ content: undefined }), settled.parts);
  expect(settled.done).toEqual(['create content']);
});
