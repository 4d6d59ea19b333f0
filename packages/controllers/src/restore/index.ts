import { ControllerRevision, type KubeObject, PersistentVolumeClaim, StorageClass } from '@vireo/api';
import { DataVolume } from '@vireo/api/kinds/cdi/dataVolume.ts';
import { Vm } from '@vireo/api/kinds/kubevirt/vm.ts';
import { Vmi } from '@vireo/api/kinds/kubevirt/vmi.ts';
import { RESTORE_NAME } from '@vireo/api/kinds/snapshot/names.ts';
import { VolumeSnapshot } from '@vireo/api/kinds/volumesnapshot/volumeSnapshot.ts';
import { type ControllerContext, keyOf, runController, systemClock, watch } from '@vireo/kube';
import { Content, contentNameOf, Snapshot } from '../snapshot/kinds.ts';
import { cachedStorage } from '../snapshot/storageLookup.ts';
import { subresourceCalls } from '../subresources.ts';
import { isHeldByBackupRestore } from '../vmbackuprestore/holder.ts';
import { restoreActions } from './act.ts';
import { hasFailed, isComplete, Restore } from './kinds.ts';
import { reconcileRestore, releaseVms } from './reconcile.ts';

/** Brings VMs back to what a snapshot has of them, or makes new ones of it. */
export async function startRestoreController(context: ControllerContext, signal: AbortSignal): Promise<void> {
  const { client, informers, recorder, clock = systemClock } = context;
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
  const parts = { act: restoreActions(client), subresources: subresourceCalls(client), recorder };

  /** The keys of those that are at work. */
  const atWork = (some: readonly Restore[]): string[] =>
    some.filter((restore) => !isComplete(restore) && !hasFailed(restore)).map(keyOf);
  const ofTarget = (target: KubeObject): string[] => atWork(restores.byIndex('target', keyOf(target)));
  const madeFor = ({ metadata }: PersistentVolumeClaim): string[] => {
    const restore = restores.get(`${metadata.namespace}/${metadata.annotations?.[RESTORE_NAME]}`);
    return restore ? atWork([restore]) : [];
  };
  /** Whoever waits for the place of a claim does not find its own name on it. */
  const waitingFor = ({ metadata }: PersistentVolumeClaim): string[] =>
    atWork(
      restores
        .list()
        .filter(({ status }) => status?.restores?.some((each) => each.persistentVolumeClaim === metadata.name)),
    );

  const reconcile = async (key: string) => {
    const restore = restores.get(key);
    if (!restore) return releaseVms(key, vms.byIndex('heldByRestore', key), client, parts.act);
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
        backendStorageClaims: storage.of(namespace).backendStorageClaims(restore.spec.target.name),
        now: new Date(clock.now()),
      },
      parts,
    );
  };
  await runController(
    {
      name: 'vmrestore',
      concurrency: 4,
      for: restores,
      watches: [
        watch([vms, vmis], ofTarget),
        watch(vms, { changed: heldByRestore }),
        watch(snapshots, { changed: (snapshot) => atWork(restores.byIndex('snapshot', keyOf(snapshot))) }),
        watch(claims, { changed: madeFor, deleted: waitingFor }),
      ],
      reads: [contents, dataVolumes, volumeSnapshots, classes, revisions, ...storage.informers],
      reconcile,
    },
    context,
    signal,
  );
}

const targetOf = ({ metadata, spec }: Restore): string[] => [`${metadata.namespace}/${spec.target.name}`];
const snapshotOf = ({ metadata, spec }: Restore): string[] => [
  `${metadata.namespace}/${spec.virtualMachineSnapshotName}`,
];

/** For indexes: the restore that has hold of a VM. Those of Harvester let go of theirs themselves. */
const heldByRestore = ({ metadata, status }: Vm): string[] =>
  status?.restoreInProgress && !isHeldByBackupRestore(status.restoreInProgress)
    ? [`${metadata.namespace}/${status.restoreInProgress}`]
    : [];
