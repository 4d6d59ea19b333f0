import { ControllerRevision, isControlledBy, type KubeObject, ownersOf } from '@vireo/api';
import { Vm } from '@vireo/api/kinds/kubevirt/vm.ts';
import { Vmi } from '@vireo/api/kinds/kubevirt/vmi.ts';
import { VolumeSnapshot } from '@vireo/api/kinds/volumesnapshot/volumeSnapshot.ts';
import { type ControllerContext, keyOf, ownerKey, runController, systemClock, watch } from '@vireo/kube';
import { subresourceCalls } from '../subresources.ts';
import { startedSpec } from '../vm/revision.ts';
import { snapshotActions } from './act.ts';
import { Content, contentNameOf, Snapshot } from './kinds.ts';
import { reconcileSnapshot, releaseVms } from './reconcile.ts';
import { reconcileContent } from './reconcileContent.ts';
import { cachedStorage } from './storageLookup.ts';
import { sourceVolumes } from './volumes.ts';

/** Takes snapshots of VMs: of their settings, and of all their disks at one moment. */
export async function startSnapshotController(context: ControllerContext, signal: AbortSignal): Promise<void> {
  const { client, informers, recorder, clock = systemClock } = context;
  const snapshots = informers.for(Snapshot, {
    indexes: { vm: ({ metadata, spec }) => [`${metadata.namespace}/${spec.source.name}`] },
  });
  const contents = informers.for(Content);
  const vms = informers.for(Vm, { indexes: { heldBySnapshot } });
  const vmis = informers.for(Vmi);
  const revisions = informers.for(ControllerRevision, { indexes: { owner: ownersOf } });
  const taken = informers.for(VolumeSnapshot, { indexes: { owner: ownersOf } });
  const storage = cachedStorage(informers);
  const act = snapshotActions(client, recorder);
  const subresources = subresourceCalls(client);

  const snapshotOf = ({ metadata, spec }: Content): string =>
    `${metadata.namespace}/${spec.virtualMachineSnapshotName}`;
  const contentOf = (volumeSnapshot: VolumeSnapshot) => contents.get(ownerKey(volumeSnapshot, Content) ?? '');
  const unfinishedOf = (source: KubeObject): string[] =>
    snapshots
      .byIndex('vm', keyOf(source))
      .filter(({ status }) => !status?.readyToUse)
      .map(keyOf);
  const takenOf = (content: Content | undefined) => (content ? taken.byIndex('owner', content.metadata.uid) : []);

  const reconcile = async (key: string) => {
    const snapshot = snapshots.get(key);
    if (!snapshot) return releaseVms(key, vms.byIndex('heldBySnapshot', key), client, act);
    const { namespace } = snapshot.metadata;
    const named = vms.get(`${namespace}/${snapshot.spec.source.name}`);
    const begunOf = snapshot.status?.sourceUID;
    const vm = begunOf === undefined || named?.metadata.uid === begunOf ? named : undefined;
    const found = vm && vmis.get(keyOf(vm));
    const vmi = found && isControlledBy(found, vm) ? found : undefined;
    const content = contents.get(`${namespace}/${contentNameOf(snapshot)}`);
    return reconcileSnapshot(
      {
        snapshot,
        vm,
        vmi,
        content,
        volumes: vm ? sourceVolumes(vm, storage.of(namespace)) : [],
        taken: takenOf(content),
        started: vmi && startedSpec(vmi, revisions.byIndex('owner', vm?.metadata.uid ?? '')),
        nowMs: clock.now(),
      },
      { act, subresources, recorder },
    );
  };

  await Promise.all([
    runController(
      {
        name: 'vmsnapshot',
        concurrency: 4,
        for: snapshots,
        watches: [
          watch(contents, snapshotOf),
          watch(taken, (volumeSnapshot) => {
            const content = contentOf(volumeSnapshot);
            return content && snapshotOf(content);
          }),
          watch([vms, vmis], unfinishedOf),
          watch(vms, { changed: heldBySnapshot }),
        ],
        reads: [revisions, ...storage.informers],
        reconcile,
      },
      context,
      signal,
    ),
    runController(
      {
        name: 'vmsnapshotcontent',
        for: contents,
        owns: [taken],
        reconcile: async (key) => {
          const content = contents.get(key);
          if (content)
            await reconcileContent(content, takenOf(content), { act, client, recorder }, new Date(clock.now()));
        },
      },
      context,
      signal,
    ),
  ]);
}

/** For indexes: the snapshot that has hold of a VM. */
const heldBySnapshot = ({ metadata, status }: Vm): string[] =>
  status?.snapshotInProgress ? [`${metadata.namespace}/${status.snapshotInProgress}`] : [];
