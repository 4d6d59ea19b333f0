import { Node, type Persisted, PersistentVolume, PersistentVolumeClaim, StorageClass } from '@vireo/api';
import { deepEqual } from '@vireo/api/json.ts';
import {
  SHARED_DIRECTORY,
  SHARED_ID,
  SHARED_PROVISIONER,
  SHARED_REPORT,
  SHARED_STATUS,
  sharedLabel,
  VOLUME_MANAGER,
} from '@vireo/api/kinds/core/volumeNames.ts';
import { isFinal, Vmi } from '@vireo/api/kinds/kubevirt/vmi.ts';
import { writtenClaimNameOf } from '@vireo/api/kinds/kubevirt/volume.ts';
import { DEFAULT_CLASS, MANAGED_BY, SNAPSHOT_DIRECTORY } from '@vireo/api/kinds/volumesnapshot/names.ts';
import { VolumeSnapshotClass } from '@vireo/api/kinds/volumesnapshot/volumeSnapshotClass.ts';
import { VolumeSnapshotContent } from '@vireo/api/kinds/volumesnapshot/volumeSnapshotContent.ts';
import { type ControllerContext, ignoreNotFound, keyOf, runController, watch } from '@vireo/kube';
import { freeBytesOf, isReady } from '../placement/nodes.ts';
import { sharedState, statusText } from './decide.ts';
import { contentManagerOf, managerOf } from './manager.ts';

/**
 * Says on classes of shared directories, and on nodes, where those directories can be used, and chooses for every volume
 * in them, and for every snapshot of one, the node that deals with it.
 */
export async function startSharedDirectoryController(context: ControllerContext, signal: AbortSignal): Promise<void> {
  const { client, informers, recorder } = context;
  const classes = informers.for(StorageClass);
  const nodes = informers.for(Node);
  const volumes = informers.for(PersistentVolume, { indexes: { provisionerShared: sharedKeys } });
  const claims = informers.for(PersistentVolumeClaim);
  const snapshotClasses = informers.for(VolumeSnapshotClass);
  const vmis = informers.for(Vmi, { indexes: { writtenClaim: claimKeys } });
  const contents = informers.for(VolumeSnapshotContent);
  const sharedClasses = (): Persisted<StorageClass>[] => classes.list().filter(isShared);

  async function reconcileClass(name: string): Promise<void> {
    const storageClass = classes.get(name);
    if (!storageClass || !isShared(storageClass)) return;
    const { [SHARED_ID]: knownId, [SHARED_STATUS]: before } = storageClass.metadata.annotations ?? {};
    const path = storageClass.parameters?.[SHARED_DIRECTORY] ?? '';
    const ours = nodes.list().filter((node) => freeBytesOf(node) !== undefined);
    const state = sharedState({ name, path }, knownId, ours);
    const status = statusText(state);
    if (state.id === undefined && ours.length === 0) return;
    if (before !== status || knownId !== state.id) {
      const annotations = { ...(state.id && { [SHARED_ID]: state.id }), [SHARED_STATUS]: status };
      await client.of(StorageClass).patchIfUnchanged(storageClass, { metadata: { annotations } });
      const isReady = state.problems.length === 0;
      const [type, reason] = isReady ? (['Normal', 'SharedDirectoryReady'] as const) : NOT_READY;
      recorder.event(storageClass, type, reason, status);
    }
    if (state.id === undefined) return;
    if (!snapshotClasses.list().some(({ driver }) => driver === SHARED_PROVISIONER))
      await client.of(VolumeSnapshotClass).createOrGet(sharedSnapshotClass);
    const label = sharedLabel(state.id);
    for (const node of nodes.list()) {
      const isVerified = state.verified.includes(node.metadata.name);
      if (isVerified === (node.metadata.labels?.[label] !== undefined)) continue;
      const patch = { metadata: { labels: { [label]: isVerified ? 'true' : null } } };
      await client.of(Node).patchExactly(node, patch).catch(ignoreNotFound);
    }
  }

  async function reconcileVolume(name: string): Promise<void> {
    const volume = volumes.get(name);
    if (!volume || sharedKeys(volume).length === 0) return;
    const { namespace, name: claimName } = volume.spec?.claimRef ?? {};
    const key = `${namespace}/${claimName}`;
    const users = vmis.byIndex('writtenClaim', key).filter((vmi) => !isFinal(vmi));
    const current = volume.metadata.annotations?.[VOLUME_MANAGER];
    const guestNode = users.flatMap(({ status }) => status?.nodeName ?? [])[0];
    const wanted = managerOf({ volume, claim: claims.get(key), current, guestNode, nodes: nodes.list() });
    if (wanted === undefined || wanted === current) return;
    const patch = { metadata: { annotations: { [VOLUME_MANAGER]: wanted } } };
    await client.of(PersistentVolume).patchIfUnchanged(volume, patch);
  }

  /** What the directory of a snapshot is known by, or of a class where one of an earlier version does not say. */
  const idOf = ({ metadata: { annotations = {} } }: VolumeSnapshotContent): string | undefined =>
    annotations[SHARED_ID] ??
    sharedClasses().find(({ parameters }) => parameters?.[SHARED_DIRECTORY] === annotations[SNAPSHOT_DIRECTORY])
      ?.metadata.annotations?.[SHARED_ID];

  async function reconcileContent(name: string): Promise<void> {
    const content = contents.get(name);
    if (content?.spec.driver !== SHARED_PROVISIONER) return;
    const volume = volumes.get(content.spec.source.volumeHandle ?? '');
    const volumeManager = volume?.metadata.annotations?.[VOLUME_MANAGER];
    const wanted = contentManagerOf({ content, volumeManager, id: idOf(content), nodes: nodes.list() });
    if (wanted === undefined || wanted === content.metadata.labels?.[MANAGED_BY]) return;
    await client
      .of(VolumeSnapshotContent)
      .patchIfUnchanged(content, { metadata: { labels: { [MANAGED_BY]: wanted } } });
  }

  const contentKeys = (all: readonly VolumeSnapshotContent[]): string[] =>
    all.filter(({ spec }) => spec.driver === SHARED_PROVISIONER).map(({ metadata }) => `content:${metadata.name}`);
  const contentsOf = ({ metadata }: PersistentVolume): string[] =>
    contentKeys(contents.list().filter(({ spec }) => spec.source.volumeHandle === metadata.name));
  const volumesOf = (vmi: Vmi): string[] =>
    claimKeys(vmi).flatMap((key) => {
      const name = claims.get(key)?.spec?.volumeName;
      return name && volumes.get(name)?.metadata.annotations?.[VOLUME_MANAGER] ? [`volume:${name}`] : [];
    });
  const allOfNode = (): string[] => [
    ...sharedClasses().map(({ metadata }) => `class:${metadata.name}`),
    ...volumes.byIndex('provisionerShared', SHARED_PROVISIONER).map((volume) => `volume:${keyOf(volume)}`),
    ...contentKeys(contents.list()),
  ];

  await runController(
    {
      name: 'shared-directories',
      watches: [
        watch(classes, { changed: ({ metadata }) => `class:${metadata.name}` }),
        watch(nodes, {
          added: allOfNode,
          // Heartbeats come all the time, and change nothing here.
          updated: (old, node) => (deepEqual(relevant(old), relevant(node)) ? [] : allOfNode()),
          deleted: allOfNode,
        }),
        watch(volumes, {
          changed: (volume) =>
            sharedKeys(volume).length > 0 ? [`volume:${keyOf(volume)}`, ...contentsOf(volume)] : [],
        }),
        watch(contents, { changed: (content) => contentKeys([content]) }),
        watch(vmis, {
          updated: (old, vmi) => (old.status?.nodeName === vmi.status?.nodeName ? [] : volumesOf(vmi)),
          deleted: volumesOf,
        }),
      ],
      reads: [claims, snapshotClasses],
      subject: (key) => {
        const [of, name = ''] = key.split(':');
        return { kind: (KINDS[of as keyof typeof KINDS] ?? PersistentVolume).kind, name };
      },
      reconcile: async (key) => {
        const name = key.slice(key.indexOf(':') + 1);
        if (key.startsWith('class:')) await reconcileClass(name);
        else if (key.startsWith('content:')) await reconcileContent(name);
        else await reconcileVolume(name);
        return undefined;
      },
    },
    context,
    signal,
  );
}

/** The kinds of keys that are not of volumes. */
const KINDS = { class: StorageClass, content: VolumeSnapshotContent };

/** What of a node matters here. */
const relevant = (node: Node) => [
  node.metadata.annotations?.[SHARED_REPORT],
  node.metadata.labels,
  node.spec?.taints,
  isReady(node),
];

/** Snapshots of volumes in shared directories: the default of their driver. */
const sharedSnapshotClass = {
  metadata: { name: 'shared', annotations: { [DEFAULT_CLASS]: 'true' } },
  driver: SHARED_PROVISIONER,
  deletionPolicy: 'Delete',
} as const;

const NOT_READY = ['Warning', 'SharedDirectoryNotReady'] as const;

const isShared = ({ provisioner }: StorageClass): boolean => provisioner === SHARED_PROVISIONER;

const sharedKeys = ({ metadata }: PersistentVolume): string[] =>
  metadata.annotations?.[VOLUME_MANAGER] === undefined ? [] : [SHARED_PROVISIONER];

const claimKeys = ({ metadata, spec }: Vmi): string[] =>
  (spec.volumes ?? []).flatMap((volume) => {
    const name = writtenClaimNameOf(volume);
    return name ? [`${metadata.namespace}/${name}`] : [];
  });
