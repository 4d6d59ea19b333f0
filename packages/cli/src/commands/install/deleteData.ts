import { setTimeout as delay } from 'node:timers/promises';
import {
  ApiError,
  conditionOf,
  isDeleting,
  type Kind,
  type KubeObject,
  type Persisted,
  PersistentVolume,
  PersistentVolumeClaim,
  StorageClass,
} from '@vireo/api';
import { DataVolume } from '@vireo/api/kinds/cdi/dataVolume.ts';
import { OWN_PROVISIONERS, PROVISIONED_BY } from '@vireo/api/kinds/core/volumeNames.ts';
import { BACKUP_TARGET_SETTING, CONFIGURED, Setting } from '@vireo/api/kinds/harvester/setting.ts';
import { kubevirtKinds } from '@vireo/api/kinds/kubevirt/index.ts';
import { KubeVirt } from '@vireo/api/kinds/kubevirt/kubeVirt.ts';
import { VirtualMachine } from '@vireo/api/kinds/kubevirt/virtualMachine.ts';
import { VirtualMachineInstance } from '@vireo/api/kinds/kubevirt/virtualMachineInstance.ts';
import { VirtualMachineInstanceReplicaSet } from '@vireo/api/kinds/kubevirt/virtualMachineInstanceReplicaSet.ts';
import { VirtualMachinePool } from '@vireo/api/kinds/pool/virtualMachinePool.ts';
import { VolumeSnapshot } from '@vireo/api/kinds/volumesnapshot/volumeSnapshot.ts';
import { VolumeSnapshotContent } from '@vireo/api/kinds/volumesnapshot/volumeSnapshotContent.ts';
import { type Client, ignoreNotFound, keyOf } from '@vireo/kube';
import { formatDuration } from '../../duration.ts';
import { Failure, TIMED_OUT } from '../../failure.ts';
import { progressDisplay } from '../../progress/progressDisplay.ts';
import { listIfServed } from './listIfServed.ts';
import { SHARED_GROUPS } from './owners.ts';

/** What is deleted at the same time. `deletes`: false for what controllers and nodes delete by themselves. */
interface Stage {
  readonly what: string;
  readonly deletes: boolean;
  left(client: Client): Promise<Left[]>;
}

interface Left {
  readonly kind: Kind;
  readonly object: Persisted<KubeObject>;
}

const all =
  (...kinds: readonly Kind[]) =>
  async (client: Client): Promise<Left[]> =>
    (await Promise.all(kinds.map((kind) => leftOf(client, kind)))).flat();

async function leftOf<T extends KubeObject>(
  client: Client,
  kind: Kind<T>,
  isMeant: (object: Persisted<T>) => boolean = () => true,
): Promise<Left[]> {
  const objects = (await listIfServed(client, kind)).filter(isMeant);
  return objects.map((object) => ({ kind: kind as unknown as Kind, object }));
}

/** Kinds of our own whose objects users make, each once. */
const USER_KINDS = kubevirtKinds.filter(
  ({ group, kind, namespaced }, index, kinds) =>
    namespaced &&
    // Those of other storage and network providers are among them.
    !SHARED_GROUPS.includes(group) &&
    kind !== KubeVirt.kind &&
    kinds.findIndex((each) => each.group === group && each.kind === kind) === index,
);

/** What makes guests goes before the guests, and disks go when nothing uses them. */
const STAGES: readonly Stage[] = [
  { what: 'pools', deletes: true, left: all(VirtualMachinePool) },
  { what: 'VMs and replica sets', deletes: true, left: all(VirtualMachine, VirtualMachineInstanceReplicaSet) },
  { what: 'VMIs', deletes: true, left: all(VirtualMachineInstance) },
  { what: 'DataVolumes', deletes: true, left: all(DataVolume) },
  { what: 'snapshots, exports and images', deletes: true, left: all(...USER_KINDS) },
  { what: 'VolumeSnapshots', deletes: true, left: ownSnapshots },
  { what: 'PersistentVolumeClaims', deletes: true, left: ownClaims },
  {
    what: 'the data of snapshots',
    deletes: false,
    left: (client) =>
      leftOf(client, VolumeSnapshotContent, (each) => isOwnContent(each) && each.spec.deletionPolicy === 'Delete'),
  },
  {
    what: 'the data of volumes',
    deletes: false,
    left: (client) =>
      leftOf(
        client,
        PersistentVolume,
        (each) => isOwnVolume(each) && each.spec?.persistentVolumeReclaimPolicy === 'Delete',
      ),
  },
];

const isOwnContent = ({ spec }: VolumeSnapshotContent): boolean => OWN_PROVISIONERS.includes(spec.driver);

const isOwnVolume = ({ metadata }: PersistentVolume): boolean =>
  OWN_PROVISIONERS.includes(metadata.annotations?.[PROVISIONED_BY] ?? '');

async function ownSnapshots(client: Client): Promise<Left[]> {
  const contents = await listIfServed(client, VolumeSnapshotContent);
  const uids = new Set(contents.filter(isOwnContent).map(({ spec }) => spec.volumeSnapshotRef?.uid));
  return leftOf(client, VolumeSnapshot, ({ metadata }) => uids.has(metadata.uid));
}

async function ownClaims(client: Client): Promise<Left[]> {
  const [classes, volumes] = await Promise.all([client.of(StorageClass).list(), client.of(PersistentVolume).list()]);
  const ownClasses = classes.items.filter(({ provisioner }) => OWN_PROVISIONERS.includes(provisioner));
  const classNames = new Set(ownClasses.map(({ metadata }) => metadata.name));
  const volumeNames = new Set(volumes.items.filter(isOwnVolume).map(({ metadata }) => metadata.name));
  return leftOf(
    client,
    PersistentVolumeClaim,
    ({ spec }) => classNames.has(spec?.storageClassName ?? '') || volumeNames.has(spec?.volumeName ?? ''),
  );
}

const POLL_MS = 200;

/** What is stored on a backup target outlives the installation: the controllers forget the target before its backups go. */
async function leaveBackupTarget(client: Client, deadline: number): Promise<void> {
  const target = async () =>
    (await listIfServed(client, Setting)).find(({ metadata }) => metadata.name === BACKUP_TARGET_SETTING);
  if (!(await target())?.value) return;
  await client.of(Setting).patch(BACKUP_TARGET_SETTING, { value: '' }, { type: 'merge' });
  while (conditionOf(await target(), CONFIGURED)?.reason !== 'NotSet') {
    if (Date.now() > deadline)
      throw new Failure(
        'the controllers do not let go of the backup target',
        'They must run, so that backups stay on the target. Nothing of Vireo itself was removed.',
        { exitCode: TIMED_OUT },
      );
    await delay(POLL_MS);
  }
}

/**
 * Deletes VMs and disks, and resolves when all of them are gone, data included. Controllers and nodes do that work, so
 * that nothing of what they need for it may be removed before.
 */
export async function deleteData(client: Client, timeoutMs: number): Promise<void> {
  const deadline = Date.now() + timeoutMs;
  await leaveBackupTarget(client, deadline);
  const display = progressDisplay(process.stderr, { announcesLabels: true });
  try {
    for (const stage of STAGES) {
      let most = 0;
      for (let left = await stage.left(client); left.length > 0; left = await stage.left(client)) {
        if (Date.now() > deadline) throw await lateFailure(client, timeoutMs);
        most = Math.max(most, left.length);
        display.update({ label: `Deleting ${stage.what}`, share: 1 - left.length / most });
        // Each time: controllers may have made new ones for what was not gone yet.
        const fresh = stage.deletes ? left.filter(({ object }) => !isDeleting(object)) : [];
        await Promise.all(fresh.map(remove(client)));
        if (fresh.length === 0) await delay(POLL_MS);
      }
    }
  } finally {
    display.clear();
  }
}

const remove =
  (client: Client) =>
  async ({ kind, object }: Left): Promise<void> => {
    try {
      await client.of(kind).deleteExactly(object).catch(ignoreNotFound);
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      const hint = 'Nothing of Vireo itself was removed. The extension must answer, and webhooks and policies agree.';
      throw new Failure(`${kind.kind} ${keyOf(object)} cannot be deleted: ${error.message}`, hint, { cause: error });
    }
  };

const SHOWN = 5;

/** Names what is left, of all stages. */
async function lateFailure(client: Client, timeoutMs: number): Promise<Failure> {
  const left = (await Promise.all(STAGES.map((stage) => stage.left(client)))).flat();
  const byKind = Map.groupBy(left, ({ kind }) => kind.kind);
  const lines = [...byKind].map(([kind, objects]) => {
    const names = [...new Set(objects.map(({ object }) => keyOf(object)))];
    const more = names.length > SHOWN ? ` and ${names.length - SHOWN} more` : '';
    return `  - ${kind} ${names.slice(0, SHOWN).join(', ')}${more}`;
  });
  return new Failure(
    `still there after ${formatDuration(timeoutMs)}:\n${lines.join('\n')}`,
    'Controllers and nodes delete VMs and disks: look with `vireo status` whether they run, and run the command again. ' +
      'Nothing of Vireo itself was removed.',
    { exitCode: TIMED_OUT },
  );
}

/** Volumes and snapshots of ours that stay, because whoever made them asked for that. */
export async function retainedData(client: Client): Promise<string[]> {
  const [volumes, contents] = await Promise.all([
    leftOf(client, PersistentVolume, isOwnVolume),
    leftOf(client, VolumeSnapshotContent, isOwnContent),
  ]);
  return [...volumes, ...contents].map(({ kind, object }) => `${kind.kind} ${keyOf(object)}`);
}
