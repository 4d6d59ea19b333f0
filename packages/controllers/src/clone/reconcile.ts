import { controllerReference, isReason } from '@vireo/api';
import { clonePatches } from '@vireo/api/kinds/clone/patches.ts';
import { Vm } from '@vireo/api/kinds/kubevirt/vm.ts';
import { type Client, type Draft, ignoreAlreadyExists, ignoreNotFound, type Recorder, type Result } from '@vireo/kube';
import { Restore } from '../restore/kinds.ts';
import { type Content, Snapshot } from '../snapshot/kinds.ts';
import { type CloneState, decide } from './decide.ts';
import { Clone, type CloneStatus, isOfSnapshot, restoreNameOf, snapshotNameOf, targetNameOf } from './kinds.ts';
import { failedStatus, inProgressStatus, pendingStatus, succeededStatus } from './status.ts';

/** When a clone that waits for its source is looked at again. */
const RETRY_MS = 5000;

export interface CloneParts {
  readonly client: Client;
  readonly recorder: Recorder;
}

/** Takes a clone one step further. */
export async function reconcileClone(state: CloneState, parts: CloneParts, now: Date): Promise<Result | undefined> {
  const { clone } = state;
  const { recorder } = parts;
  const next = decide(state);
  const recordEvent = (type: 'Normal' | 'Warning', reason: string, message: string): void =>
    recorder.event(clone, type, reason, message);
  const write = (status: CloneStatus): Promise<boolean> => writeStatus(clone, status, parts);
  switch (next.step) {
    case 'none':
      return undefined;
    case 'pend':
      if (await write(pendingStatus(clone, next.message, now))) recordEvent('Warning', next.event, next.message);
      return { requeueAfterMs: RETRY_MS };
    case 'fail':
      await write(failedStatus(clone, next.message, now));
      recordEvent('Warning', next.event, next.message);
      return undefined;
    case 'createSnapshot': {
      const snapshotName = snapshotNameOf(clone);
      await write({ ...inProgressStatus(clone, 'SnapshotInProgress', now), snapshotName });
      try {
        if (await parts.client.of(Snapshot).create(snapshotFor(clone)).catch(ignoreAlreadyExists))
          recordEvent('Normal', 'SnapshotCreated', `created temporary snapshot ${snapshotName}`);
      } catch (error) {
        if (!isReason(error, 'Invalid', 'BadRequest', 'Forbidden')) throw error;
        await write(failedStatus(clone, error.message, now));
        recordEvent('Warning', 'SnapshotCreationFailed', error.message);
      }
      return undefined;
    }
    case 'awaitSnapshot':
      await write({ ...inProgressStatus(clone, 'SnapshotInProgress', now), snapshotName: snapshotNameOf(clone) });
      return undefined;
    case 'createRestore':
      return createRestore(state, next.content, parts, now);
    case 'awaitRestore':
      await write({
        ...inProgressStatus(clone, state.target ? 'CreatingTargetVM' : 'RestoreInProgress', now),
        ...helpers(clone),
      });
      return undefined;
    case 'succeed': {
      const name = targetNameOf(clone);
      await write({ ...succeededStatus(clone, name, now), ...helpers(clone) });
      recordEvent('Normal', 'RestoreReady', `restore ${restoreNameOf(clone)} is ready`);
      recordEvent('Normal', 'TargetVMCreated', `created VirtualMachine ${name}`);
      return undefined;
    }
    case 'clear':
      return clear(state, parts);
  }
}

const helpers = (clone: Clone): Pick<CloneStatus, 'snapshotName' | 'restoreName'> => ({
  snapshotName: snapshotNameOf(clone),
  restoreName: restoreNameOf(clone),
});

async function createRestore(
  { clone }: CloneState,
  content: Content,
  { client, recorder }: CloneParts,
  now: Date,
): Promise<Result | undefined> {
  const restoreName = restoreNameOf(clone);
  try {
    if (!(await client.of(Restore).create(restoreFor(clone, content)).catch(ignoreAlreadyExists))) return undefined;
  } catch (error) {
    if (!isReason(error, 'Invalid', 'BadRequest', 'Forbidden')) throw error;
    await writeStatus(clone, failedStatus(clone, error.message, now), { client });
    recorder.event(clone, 'Warning', 'RestoreCreationFailed', error.message);
    return undefined;
  }
  await writeStatus(clone, { ...inProgressStatus(clone, 'RestoreInProgress', now), ...helpers(clone) }, { client });
  recorder.event(clone, 'Normal', 'SnapshotReady', `snapshot ${snapshotNameOf(clone)} is ready`);
  recorder.event(clone, 'Normal', 'RestoreCreated', `created temporary restore ${restoreName}`);
  return undefined;
}

/** The snapshot of somebody else that was copied stays. What a restore that failed has made goes with it. */
async function clear({ clone, restore, snapshot }: CloneState, parts: CloneParts): Promise<undefined> {
  const { client, recorder } = parts;
  const { namespace } = clone.metadata;
  if (restore) await client.of(Restore).delete(restoreNameOf(clone), { namespace }).catch(ignoreNotFound);
  const isOwn = snapshot && !isOfSnapshot(clone);
  if (isOwn) await client.of(Snapshot).delete(snapshotNameOf(clone), { namespace }).catch(ignoreNotFound);
  const { restoreName: _, snapshotName: __, ...rest } = clone.status ?? {};
  if (!(await writeStatus(clone, rest, parts))) return;
  if (rest.phase === 'Succeeded')
    recorder.event(clone, 'Normal', 'PVCBound', `all claims of VirtualMachine ${targetNameOf(clone)} are bound`);
  if (isOwn) recorder.event(clone, 'Normal', 'SnapshotDeleted', `deleted snapshot ${snapshotNameOf(clone)}`);
}

async function writeStatus(
  clone: Clone,
  status: CloneStatus,
  { client }: Pick<CloneParts, 'client'>,
): Promise<boolean> {
  return (await client.of(Clone).writeStatus(clone, status)) !== undefined;
}

const snapshotFor = (clone: Clone): Draft<Snapshot> => ({
  metadata: {
    name: snapshotNameOf(clone),
    namespace: clone.metadata.namespace,
    ownerReferences: [controllerReference(clone, Clone)],
  },
  spec: { source: { apiGroup: Vm.group, kind: Vm.kind, name: clone.spec.source.name } },
});

const restoreFor = (clone: Clone, { spec }: Content): Draft<Restore> => ({
  metadata: {
    name: restoreNameOf(clone),
    namespace: clone.metadata.namespace,
    ownerReferences: [controllerReference(clone, Clone)],
  },
  spec: {
    target: { apiGroup: Vm.group, kind: Vm.kind, name: targetNameOf(clone) },
    virtualMachineSnapshotName: snapshotNameOf(clone),
    patches: clonePatches(clone, spec.source.virtualMachine ?? {}),
    ...(clone.spec.volumeNamePolicy && { volumeRestorePolicy: clone.spec.volumeNamePolicy }),
  },
});
