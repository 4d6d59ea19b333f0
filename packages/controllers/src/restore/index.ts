import { ControllerRevision, isReason, type KubeObject, PersistentVolumeClaim, StorageClass } from '@vireo/api';
import { DataVolume } from '@vireo/api/kinds/cdi/dataVolume.ts';
import { RESTORE_NAME } from '@vireo/api/kinds/snapshot/names.ts';
import { VolumeSnapshot } from '@vireo/api/kinds/volumesnapshot/volumeSnapshot.ts';
import { enqueueKey, keyOf, parseKey, runController, systemClock, WorkQueue } from '@vireo/kube';
import type { ControllerContext } from '../context.ts';
import { Vm, Vmi } from '../kinds.ts';
import { Content, contentNameOf, Snapshot } from '../snapshot/kinds.ts';
import { cachedStorage } from '../snapshot/storageLookup.ts';
import { machineCalls } from '../subresources.ts';
import { restoreActions } from './act.ts';
import { hasFailed, isComplete, Restore } from './kinds.ts';
import { reconcileRestore } from './reconcile.ts';

/** Brings machines back to what a snapshot has of them, or makes new ones of it. */
export async function startRestoreController(context: ControllerContext, signal: AbortSignal): Promise<void> {
  const { client, informers, recorder, log, metrics, clock = systemClock } = context;
  const restores = informers.for(Restore, { indexes: { target: targetOf, snapshot: snapshotOf } });
  const vms = informers.for(Vm, { indexes: { heldByRestore } });
  const vmis = informers.for(Vmi);
  const snapshots = informers.for(Snapshot);
  const contents = informers.for(Content);
  const claims = informers.for(PersistentVolumeClaim);
  const dataVolumes = informers.for(DataVolume);
  const volumeSnapshots = informers.for(VolumeSnapshot);
  const classes = informers.for(StorageClass);
  const revisions = informers.for(ControllerRevision);
  const storage = cachedStorage(informers);
  const parts = { act: restoreActions(client), machines: machineCalls(client), recorder };

  const queue = new WorkQueue({ clock });
  restores.on(enqueueKey(queue));
  const wake = (restore: Restore | undefined): void => {
    if (restore && !isComplete(restore) && !hasFailed(restore)) queue.add(keyOf(restore));
  };
  const onTarget = (machine: KubeObject): void => restores.byIndex('target', keyOf(machine)).forEach(wake);
  for (const informer of [vms, vmis])
    informer.on({ added: onTarget, updated: (_, machine) => onTarget(machine), deleted: onTarget });
  const onHeld = (vm: Vm): void => heldByRestore(vm).forEach((key) => void queue.add(key));
  vms.on({ added: onHeld, updated: (_, vm) => onHeld(vm) });
  const onSnapshot = (snapshot: Snapshot): void => restores.byIndex('snapshot', keyOf(snapshot)).forEach(wake);
  snapshots.on({ added: onSnapshot, updated: (_, snapshot) => onSnapshot(snapshot) });
  const onClaim = ({ metadata }: KubeObject): void =>
    wake(restores.get(`${metadata.namespace}/${metadata.annotations?.[RESTORE_NAME]}`));
  claims.on({ added: onClaim, updated: (_, claim) => onClaim(claim), deleted: (claim) => onAnyClaim(claim) });
  /** Whoever waits for the place of a claim does not find its own name on it. */
  const onAnyClaim = ({ metadata }: KubeObject): void => {
    for (const restore of restores.list())
      if (restore.status?.restores?.some((each) => each.persistentVolumeClaim === metadata.name)) wake(restore);
  };

  /** Somebody took our finalizer off a restore: nobody else will let go of its machine. */
  async function letGoOfAll(key: string): Promise<undefined> {
    const { namespace, name } = parseKey(key);
    for (const vm of vms.byIndex('heldByRestore', key)) {
      const isThere = await client.of(Restore).get(name, { namespace }).then(Boolean, unlessMissing);
      if (!isThere) await parts.act.unlock(vm, name);
    }
  }

  const reconcile = async (key: string) => {
    const restore = restores.get(key);
    if (!restore) return letGoOfAll(key);
    const { namespace } = restore.metadata;
    const target = `${namespace}/${restore.spec.target.name}`;
    const snapshot = snapshots.get(`${namespace}/${restore.spec.virtualMachineSnapshotName}`);
    return reconcileRestore(
      {
        restore,
        vm: vms.get(target),
        vmi: vmis.get(target),
        snapshot,
        content: snapshot && contents.get(`${namespace}/${contentNameOf(snapshot)}`),
        claim: (name) => claims.get(`${namespace}/${name}`),
        dataVolume: (name) => dataVolumes.get(`${namespace}/${name}`),
        volumeSnapshot: (name) => volumeSnapshots.get(`${namespace}/${name}`),
        storageClass: (name) => classes.get(name),
        revision: (name) => revisions.get(`${namespace}/${name}`),
        stateClaims: storage.of(namespace).stateClaims(restore.spec.target.name),
        now: new Date(clock.now()),
      },
      parts,
    );
  };
  const known = [restores, vms, vmis, snapshots, contents, claims, dataVolumes, volumeSnapshots, classes, revisions];
  const all = [...known, ...storage.informers];
  await runController({ name: 'vmrestore', queue, informers: all, log, metrics, reconcile, concurrency: 4 }, signal);
}

const targetOf = ({ metadata, spec }: Restore): string[] => [`${metadata.namespace}/${spec.target.name}`];
const snapshotOf = ({ metadata, spec }: Restore): string[] => [
  `${metadata.namespace}/${spec.virtualMachineSnapshotName}`,
];

/** For indexes: the restore that has hold of a machine. */
const heldByRestore = ({ metadata, status }: Vm): string[] =>
  status?.restoreInProgress ? [`${metadata.namespace}/${status.restoreInProgress}`] : [];

function unlessMissing(error: unknown): false {
  if (!isReason(error, 'NotFound')) throw error;
  return false;
}
