import { PersistentVolumeClaim } from '@vireo/api';
import { RESTORE_NAME } from '@vireo/api/kinds/snapshot/names.ts';
import { enqueueKey, keyOf, runController, systemClock, WorkQueue } from '@vireo/kube';
import type { ControllerContext } from '../context.ts';
import { Vm } from '../kinds.ts';
import { Restore } from '../restore/kinds.ts';
import { Content, contentNameOf, Snapshot } from '../snapshot/kinds.ts';
import { cachedStorage } from '../snapshot/storageLookup.ts';
import { sourceVolumes, storageProblem } from '../snapshot/volumes.ts';
import { Clone, isOfSnapshot, restoreNameOf, snapshotNameOf, targetNameOf } from './kinds.ts';
import { reconcileClone } from './reconcile.ts';

/** Copies machines with their disks, by a snapshot and a restore of it that change what tells machines apart. */
export async function startCloneController(context: ControllerContext, signal: AbortSignal): Promise<void> {
  const { client, informers, recorder, log, metrics, clock = systemClock } = context;
  const clones = informers.for(Clone, { indexes: { helper: helpersOf } });
  const vms = informers.for(Vm);
  const snapshots = informers.for(Snapshot);
  const contents = informers.for(Content);
  const restores = informers.for(Restore);
  const claims = informers.for(PersistentVolumeClaim, { indexes: { restore: restoreOf } });
  const storage = cachedStorage(informers);

  const queue = new WorkQueue({ clock });
  clones.on(enqueueKey(queue));
  const wake = (helper: string): void => {
    for (const clone of clones.byIndex('helper', helper)) queue.add(keyOf(clone));
  };
  const onSnapshot = (snapshot: Snapshot): void => wake(`snapshot ${keyOf(snapshot)}`);
  snapshots.on({ added: onSnapshot, updated: (_, snapshot) => onSnapshot(snapshot), deleted: onSnapshot });
  const onRestore = (restore: Restore): void => wake(`restore ${keyOf(restore)}`);
  restores.on({ added: onRestore, updated: (_, restore) => onRestore(restore), deleted: onRestore });
  const onClaim = (claim: PersistentVolumeClaim): void => {
    for (const key of restoreOf(claim)) wake(`restore ${key}`);
  };
  claims.on({ added: onClaim, updated: (_, claim) => onClaim(claim) });
  const onMachine = (vm: Vm): void => wake(`machine ${keyOf(vm)}`);
  vms.on({ added: onMachine, updated: (_, vm) => onMachine(vm) });

  const reconcile = async (key: string) => {
    const clone = clones.get(key);
    if (!clone) return undefined;
    const { namespace } = clone.metadata;
    const source = isOfSnapshot(clone) ? undefined : vms.get(`${namespace}/${clone.spec.source.name}`);
    const snapshot = snapshots.get(`${namespace}/${snapshotNameOf(clone)}`);
    const restoreKey = `${namespace}/${restoreNameOf(clone)}`;
    return reconcileClone(
      {
        clone,
        source,
        snapshot,
        content: snapshot && contents.get(`${namespace}/${contentNameOf(snapshot)}`),
        restore: restores.get(restoreKey),
        target: vms.get(`${namespace}/${targetNameOf(clone)}`),
        storageProblem: source && unkeepable(source),
        claims: claims.byIndex('restore', restoreKey),
      },
      { client, recorder },
      new Date(clock.now()),
    );
  };

  /** A copy has all disks of the machine, or is none. */
  function unkeepable(source: Vm): string | undefined {
    const volumes = sourceVolumes(source, storage.of(source.metadata.namespace));
    const without = volumes.find(({ claim, snapshotClass }) => claim && !snapshotClass);
    return without
      ? `volume ${without.volume}: the storage of PersistentVolumeClaim ${without.claimName} keeps no states`
      : storageProblem(volumes);
  }

  const all = [clones, vms, snapshots, contents, restores, claims, ...storage.informers];
  await runController({ name: 'vmclone', queue, informers: all, log, metrics, reconcile, concurrency: 4 }, signal);
}

const helpersOf = (clone: Clone): string[] => {
  const { namespace } = clone.metadata;
  return [
    `snapshot ${namespace}/${snapshotNameOf(clone)}`,
    `restore ${namespace}/${restoreNameOf(clone)}`,
    ...(isOfSnapshot(clone) ? [] : [`machine ${namespace}/${clone.spec.source.name}`]),
    `machine ${namespace}/${targetNameOf(clone)}`,
  ];
};

const restoreOf = ({ metadata }: PersistentVolumeClaim): string[] => {
  const name = metadata.annotations?.[RESTORE_NAME];
  return name === undefined ? [] : [`${metadata.namespace}/${name}`];
};
