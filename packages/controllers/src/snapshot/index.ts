import { ControllerRevision, isReason, type KubeObject } from '@vireo/api';
import { VolumeSnapshot } from '@vireo/api/kinds/volumesnapshot/volumeSnapshot.ts';
import { enqueueKey, keyOf, ownerKey, parseKey, runController, systemClock, WorkQueue } from '@vireo/kube';
import type { ControllerContext } from '../context.ts';
import { isControlledBy, ownersOf, Vm, Vmi } from '../kinds.ts';
import { machineCalls } from '../subresources.ts';
import { startedSpec } from '../vm/revision.ts';
import { snapshotActions } from './act.ts';
import { Content, contentNameOf, Snapshot } from './kinds.ts';
import { reconcileSnapshot } from './reconcile.ts';
import { reconcileContent } from './reconcileContent.ts';
import { cachedStorage } from './storageLookup.ts';
import { sourceVolumes } from './volumes.ts';

/** Takes snapshots of machines: of their settings, and of all their disks at one moment. */
export async function startSnapshotController(context: ControllerContext, signal: AbortSignal): Promise<void> {
  const { client, informers, recorder, log, metrics, clock = systemClock } = context;
  const snapshots = informers.for(Snapshot, {
    indexes: { machine: ({ metadata, spec }) => [`${metadata.namespace}/${spec.source.name}`] },
  });
  const contents = informers.for(Content);
  const vms = informers.for(Vm, { indexes: { heldBySnapshot } });
  const vmis = informers.for(Vmi);
  const revisions = informers.for(ControllerRevision, { indexes: { owner: ownersOf } });
  const taken = informers.for(VolumeSnapshot, { indexes: { owner: ownersOf } });
  const storage = cachedStorage(informers);
  const act = snapshotActions(client, recorder);
  const machines = machineCalls(client);

  const queue = new WorkQueue({ clock });
  const contentQueue = new WorkQueue({ clock });
  snapshots.on(enqueueKey(queue));
  const onContent = (content: Content): void => {
    contentQueue.add(keyOf(content));
    queue.add(`${content.metadata.namespace}/${content.spec.virtualMachineSnapshotName}`);
  };
  contents.on({ added: onContent, updated: (_, content) => onContent(content), deleted: onContent });
  const onTaken = (snapshot: VolumeSnapshot): void => {
    const content = contents.get(ownerKey(snapshot, Content) ?? '');
    if (content) onContent(content);
  };
  taken.on({ added: onTaken, updated: (_, snapshot) => onTaken(snapshot), deleted: onTaken });
  const onMachine = (machine: KubeObject): void => {
    for (const snapshot of snapshots.byIndex('machine', keyOf(machine)))
      if (!snapshot.status?.readyToUse) queue.add(keyOf(snapshot));
  };
  for (const informer of [vms, vmis])
    informer.on({ added: onMachine, updated: (_, machine) => onMachine(machine), deleted: onMachine });
  const onHeld = (vm: Vm): void => heldBySnapshot(vm).forEach((key) => void queue.add(key));
  vms.on({ added: onHeld, updated: (_, vm) => onHeld(vm) });

  const takenOf = (content: Content | undefined) => (content ? taken.byIndex('owner', content.metadata.uid ?? '') : []);

  const reconcile = async (key: string) => {
    const snapshot = snapshots.get(key);
    if (!snapshot) return letGoOfAll(key);
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
      { act, machines, recorder },
    );
  };
  /** Somebody took our finalizer off a snapshot: nobody else will let go of its machine. */
  async function letGoOfAll(key: string): Promise<undefined> {
    const { namespace, name } = parseKey(key);
    for (const vm of vms.byIndex('heldBySnapshot', key)) {
      const isThere = await client.of(Snapshot).get(name, { namespace }).then(Boolean, unlessMissing);
      if (!isThere) await act.unlock(vm, name);
    }
  }
  const reconcileOneContent = async (key: string): Promise<void> => {
    const content = contents.get(key);
    if (content) await reconcileContent(content, takenOf(content), { act, client, recorder }, new Date(clock.now()));
  };

  const known = [snapshots, contents, vms, vmis, revisions, taken, ...storage.informers];
  await Promise.all([
    runController({ name: 'vmsnapshot', queue, informers: known, log, metrics, reconcile, concurrency: 4 }, signal),
    runController(
      {
        name: 'vmsnapshotcontent',
        queue: contentQueue,
        informers: known,
        log,
        metrics,
        reconcile: reconcileOneContent,
      },
      signal,
    ),
  ]);
}

/** For indexes: the snapshot that has hold of a machine. */
const heldBySnapshot = ({ metadata, status }: Vm): string[] =>
  status?.snapshotInProgress ? [`${metadata.namespace}/${status.snapshotInProgress}`] : [];

function unlessMissing(error: unknown): false {
  if (!isReason(error, 'NotFound')) throw error;
  return false;
}
