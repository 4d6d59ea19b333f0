import { PersistentVolumeClaim } from '@vireo/api';
import { Vm } from '@vireo/api/kinds/kubevirt/vm.ts';
import { RESTORE_NAME } from '@vireo/api/kinds/snapshot/names.ts';
import { type ControllerContext, keyOf, runController, systemClock, watch } from '@vireo/kube';
import { Restore } from '../restore/kinds.ts';
import { Content, contentNameOf, Snapshot } from '../snapshot/kinds.ts';
import { cachedStorage } from '../snapshot/storageLookup.ts';
import { sourceVolumes, storageProblem } from '../snapshot/volumes.ts';
import { Clone, isOfSnapshot, restoreNameOf, snapshotNameOf, targetNameOf } from './kinds.ts';
import { reconcileClone } from './reconcile.ts';

/** Copies VMs with their disks, by a snapshot and a restore of it that change what tells VMs apart. */
export async function startCloneController(context: ControllerContext, signal: AbortSignal): Promise<void> {
  const { client, informers, recorder, clock = systemClock } = context;
  const clones = informers.for(Clone, { indexes: { helper: helpersOf } });
  const vms = informers.for(Vm);
  const snapshots = informers.for(Snapshot);
  const contents = informers.for(Content);
  const restores = informers.for(Restore);
  const claims = informers.for(PersistentVolumeClaim, { indexes: { restore: restoreOf } });
  const storage = cachedStorage(informers);

  const using = (helper: string): string[] => clones.byIndex('helper', helper).map(keyOf);

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
        storageProblem: source && snapshotProblem(source),
        claims: claims.byIndex('restore', restoreKey),
      },
      { client, recorder },
      new Date(clock.now()),
    );
  };

  /** Why no snapshot can have all disks of the VM; undefined when one can. */
  function snapshotProblem(source: Vm): string | undefined {
    const volumes = sourceVolumes(source, storage.of(source.metadata.namespace));
    const without = volumes.find(({ claim, snapshotClass }) => claim && !snapshotClass);
    return without
      ? `volume ${without.volume}: the storage of PersistentVolumeClaim ${without.claimName} does not support snapshots`
      : storageProblem(volumes);
  }

  await runController(
    {
      name: 'vmclone',
      concurrency: 4,
      for: clones,
      watches: [
        watch(snapshots, (snapshot) => using(`snapshot ${keyOf(snapshot)}`)),
        watch(restores, (restore) => using(`restore ${keyOf(restore)}`)),
        watch(claims, { changed: (claim) => restoreOf(claim).flatMap((key) => using(`restore ${key}`)) }),
        watch(vms, { changed: (vm) => using(`VM ${keyOf(vm)}`) }),
      ],
      reads: [contents, ...storage.informers],
      reconcile,
    },
    context,
    signal,
  );
}

const helpersOf = (clone: Clone): string[] => {
  const { namespace } = clone.metadata;
  return [
    `snapshot ${namespace}/${snapshotNameOf(clone)}`,
    `restore ${namespace}/${restoreNameOf(clone)}`,
    ...(isOfSnapshot(clone) ? [] : [`VM ${namespace}/${clone.spec.source.name}`]),
    `VM ${namespace}/${targetNameOf(clone)}`,
  ];
};

const restoreOf = ({ metadata }: PersistentVolumeClaim): string[] => {
  const name = metadata.annotations?.[RESTORE_NAME];
  return name === undefined ? [] : [`${metadata.namespace}/${name}`];
};
