import { dirname, join } from 'node:path';
import { isSharedVolume, type Persisted, PersistentVolume, PersistentVolumeClaim, Pod, StorageClass } from '@vireo/api';
import { CDIConfig } from '@vireo/api/kinds/cdi/cdiConfig.ts';
import { POLLER_SELECTOR } from '@vireo/api/kinds/cdi/importCron.ts';
import { IMPORTER_SELECTOR } from '@vireo/api/kinds/cdi/importerPod.ts';
import { PROVISIONED_BY } from '@vireo/api/kinds/core/volumeNames.ts';
import { BACKUP_WORK_SELECTOR } from '@vireo/api/kinds/harvester/backupWork.ts';
import { claimInfo } from '@vireo/api/kinds/kubevirt/claimInfo.ts';
import { isFinal, Vmi } from '@vireo/api/kinds/kubevirt/vmi.ts';
import type { PersistentVolumeClaimInfo } from '@vireo/api/kinds/kubevirt/volumeStatus.ts';
import { VolumeSnapshot } from '@vireo/api/kinds/volumesnapshot/volumeSnapshot.ts';
import { VolumeSnapshotContent } from '@vireo/api/kinds/volumesnapshot/volumeSnapshotContent.ts';
import { toBytes } from '@vireo/api/quantity.ts';
import type { DiskSource } from '@vireo/hypervisor';
import {
  type Client,
  type Clock,
  type ControllerMetrics,
  type EventRecorder,
  Informers,
  keyOf,
  type Log,
  type NodeUpload,
} from '@vireo/kube';
import type { ImageStore } from '../disks/images.ts';
import { runBackups } from './backups/index.ts';
import { type ClaimProblem, claimDirectory, claimDisk, claimProblem } from './claimDisk.ts';
import { type CopySource, cloneSource } from './cloneSource.ts';
import type { VolumeContext } from './context.ts';
import { copyDisk, copyVolume } from './copy.ts';
import { type ExportedClaim, exportedClaim } from './export/exportedClaim.ts';
import type { Guests } from './guests.ts';
import { expectImage } from './imageSource.ts';
import { runPolls } from './polls/index.ts';
import { BadImage } from './populate/badImage.ts';
import { mayReadFrom } from './populate/cloneRights.ts';
import { Populator } from './populate/index.ts';
import { discardOrphans, runProvisioner } from './provision/index.ts';
import { NotReady } from './provision/notReady.ts';
import { watchSharedDirectories } from './shared/index.ts';
import { runSnapshots, snapshotSource } from './snapshots/index.ts';
import type { VolumeStore } from './store.ts';
import { VolumeStores } from './stores.ts';
import { ClaimUsers, claimIndex, claimsOf, isOnAnotherNode, namedVmi } from './users.ts';

export interface VolumesOptions {
  readonly client: Client;
  /** Reads what importer pods name, and reports on the Node. */
  readonly kubelet: Client;
  readonly recorder: Pick<EventRecorder, 'event'>;
  readonly log: Log;
  readonly metrics?: ControllerMetrics;
  readonly clock: Clock;
  /** The node's name. */
  readonly node: string;
  /** Where volumes are kept. */
  readonly directory: string;
  /** Where the data of snapshots is kept; on the same file system, so that it can share blocks with volumes. */
  readonly snapshotDirectory: string;
  /** Where file systems of backup targets are mounted. */
  readonly runtimeDirectory: string;
  /** Images that claims are filled from. */
  readonly images: ImageStore;
  readonly guests: Omit<Guests, 'resume' | 'isHeld'>;
  /** A VMI, by `namespace/name`, may go on: a claim that it names has changed. */
  readonly enqueue: (key: string) => void;
}

/** What a copy is made into. */
interface CopyTarget {
  readonly sizeBytes: number;
  readonly store: VolumeStore;
}

/** The volumes of this node, as VMs use them. */
export interface NodeVolumes {
  /** The disk behind a claim. Throws VolumeError while it cannot be had. */
  claimDisk(
    vmi: Vmi,
    claim: string,
    use: { readonly isReadOnly: boolean; readonly isShareable: boolean },
  ): Promise<DiskSource>;
  /** The directory behind a claim, for files beside its disk. Throws VolumeError while it cannot be had. */
  claimDirectory(vmi: Vmi, claim: string): Promise<string>;
  /** What is known of a claim, by `namespace/name`; undefined where there is none. */
  claimInfo(claim: string): PersistentVolumeClaimInfo | undefined;
  /** How large the disk of a claim is, by `namespace/name`; undefined where it has none that nodes have made. */
  sizeOf(claim: string): number | undefined;
  /** Whether several nodes have the volume of a claim, by `namespace/name`; undefined where it has none. */
  isSharedClaim(claim: string): boolean | undefined;
  /** What is in the way of a claim, by `namespace/name`; undefined for one that is bound and filled. */
  claimProblem(claim: string): ClaimProblem | undefined;
  /** Fills a claim with what somebody sends. Throws UploadRefusal with what to tell them. */
  upload(upload: NodeUpload): Promise<void>;
  /** The data of a claim, by `namespace/name`, for whoever reads it from outside. Throws what to tell them. */
  exportedClaim(claim: string): Promise<ExportedClaim>;
  /** Whether a path is in a directory that several nodes have and that volumes are made in. */
  isShared(path: string): boolean;
  /** The directory of a class, which several nodes have, that a path is in; undefined where it is in none. */
  sharedRoot(path: string): string | undefined;
  readonly ended: Promise<void>;
}

/** Makes, grows and removes the volumes of this node. Resolves when it knows what is; runs until `signal` aborts. */
export async function startVolumes(options: VolumesOptions, signal: AbortSignal): Promise<NodeVolumes> {
  const { client, kubelet, recorder, log, clock, node, guests, enqueue } = options;
  const stores = new VolumeStores(options.directory, options.snapshotDirectory, node);
  await stores.open();
  const informers = new Informers(client, { log, clock });
  const claims = informers.for(PersistentVolumeClaim);
  const volumes = informers.for(PersistentVolume);
  const classes = informers.for(StorageClass);
  const importers = informers.for(CDIConfig);
  const snapshots = informers.for(VolumeSnapshot);
  const contents = informers.for(VolumeSnapshotContent);
  const vmis = informers.for(Vmi, { indexes: { claim: claimIndex } });
  const ofKubelet = new Informers(kubelet, { log, clock });
  const importerPods = ofKubelet.for(Pod, { fieldSelector: `spec.nodeName=${node}`, labelSelector: IMPORTER_SELECTOR });
  const pollerPods = ofKubelet.for(Pod, { fieldSelector: `spec.nodeName=${node}`, labelSelector: POLLER_SELECTOR });
  const workers = ofKubelet.for(Pod, { fieldSelector: `spec.nodeName=${node}`, labelSelector: BACKUP_WORK_SELECTOR });
  const users = new ClaimUsers(vmis, guests.has, node);
  const enqueueUsers = (claim: Persisted<PersistentVolumeClaim>): void => users.keys(keyOf(claim)).forEach(enqueue);
  claims.on({ updated: (_, claim) => enqueueUsers(claim) });
  // Whoever waits for a disk that another had may have it now.
  const vmiEnded = (vmi: Vmi): void => {
    for (const claim of claimIndex(vmi)) users.keys(claim).forEach(enqueue);
  };
  vmis.on({ updated: (old, vmi) => !isFinal(old) && isFinal(vmi) && vmiEnded(vmi), deleted: vmiEnded });
  const context: VolumeContext = {
    client,
    kubelet,
    recorder,
    log,
    metrics: options.metrics,
    clock,
    stores,
    node,
    claims,
    volumes,
    classes,
  };
  const keyOfClaim = ({ spec }: Persisted<PersistentVolume>): string =>
    `${spec?.claimRef?.namespace}/${spec?.claimRef?.name}`;
  type Copy = typeof copyDisk;
  const copyOf =
    (from: CopySource, store: VolumeStore, copy: Copy) =>
    async (disk: string): Promise<void> => {
      await from.store.expectUsable();
      const source = from.store.disk(from.name);
      await store.expectSpaceForCopies([source]);
      await copy(source, disk, signal);
    };
  const copyOfClaim = (key: string, { sizeBytes, store }: CopyTarget, copy: Copy) =>
    copyOf(cloneSource(key, sizeBytes, context, users), store, copy);
  const copyOfSnapshot = (key: string, { sizeBytes, store }: CopyTarget, copy: Copy) => {
    const snapshot = snapshots.get(key);
    const content = contents.get(snapshot?.status?.boundVolumeSnapshotContentName ?? '');
    // A snapshot names its content, and only a content that names it back is its own.
    const isOwn = snapshot?.metadata.uid !== undefined && content?.spec.volumeSnapshotRef.uid === snapshot.metadata.uid;
    return copyOf(snapshotSource(isOwn ? content : undefined, key, sizeBytes, context), store, copy);
  };
  const provisioner = runProvisioner(
    context,
    {
      snapshots,
      contents,
      isInUse: (volume) => users.user(keyOfClaim(volume)) !== undefined,
      fill: async ({ metadata }, origin, sizeBytes, store) => {
        const target = { sizeBytes, store };
        if (origin.from === 'nothing') return undefined;
        if (origin.from === 'image') {
          await expectImage(client, origin.key, metadata.namespace);
          return copyOfClaim(origin.key, target, copyDisk);
        }
        const key = `${metadata.namespace}/${origin.name}`;
        const copyOfThat = origin.from === 'claim' ? copyOfClaim : copyOfSnapshot;
        return copyOfThat(key, target, copyVolume);
      },
      grown: async (claim, disk, sizeBytes) => {
        const user = users.user(keyOf(claim));
        const hasDisk = user && claimsOf(user).some(({ key }) => key === keyOf(claim));
        if (hasDisk) await guests.resize(user.metadata.uid, disk, sizeBytes);
      },
    },
    signal,
  );
  const snapshotting = runSnapshots(
    context,
    {
      contents,
      whilePaused: (written, copy) => {
        const keys = written.map(keyOfClaim);
        // Firmware writes to a claim that no disk of the VMI names.
        const writers = keys.flatMap((key) => [users.writer(key) ?? users.user(key), ...users.sharers(key)]);
        const elsewhere = writers.find((vmi) => vmi && !guests.has(vmi.metadata.uid) && isOnAnotherNode(vmi, node));
        // It could not be paused, and what is copied while it writes is of no moment that ever was.
        if (elsewhere)
          throw new NotReady(
            `the volume is in use by ${namedVmi(elsewhere, node)}: only that node can take a snapshot while the guest runs`,
          );
        const uids = new Set(writers.flatMap((vmi) => vmi?.metadata.uid ?? []));
        return [...uids].reduce<() => Promise<void>>((act, uid) => () => guests.whilePaused(uid, act), copy)();
      },
    },
    signal,
  );
  const registries = join(dirname(options.directory), 'registries.json');
  const polling = runPolls({ kubelet, pods: pollerPods, registries, log }, signal);
  const { runtimeDirectory } = options;
  const backingUp = runBackups(context, { workers, contents, runtimeDirectory }, signal);
  const populator = new Populator(context, {
    importers: importerPods,
    workers,
    runtimeDirectory,
    registries,
    images: options.images,
    copy: async (claim, work, target) => {
      const [kind, key] =
        work.kind === 'clone' ? (['pvc', work.claim] as const) : (['snapshot', work.snapshot] as const);
      if (!(await mayReadFrom(client, claim, kind, key)))
        throw new BadImage(`the user who created this claim is not allowed to read ${key}`);
      return kind === 'pvc' ? copyOfClaim(key, target, copyDisk) : copyOfSnapshot(key, target, copyDisk);
    },
  });
  const populating = populator.run(signal);
  const shared = watchSharedDirectories({ kubelet, classes, stores, node, clock, log }, signal);
  for (const each of [informers, ofKubelet]) each.start(signal);
  await Promise.all([informers, ofKubelet].map((each) => each.whenSynced()));
  await discardOrphans(context);
  return {
    claimDisk: (vmi, claim, use) => claimDisk(vmi, claim, use, { claims, volumes, node, users, stores }),
    claimDirectory: (vmi, claim) => claimDirectory(vmi, claim, { claims, volumes, stores }),
    claimInfo: (key) => {
      const claim = claims.get(key);
      const [importer] = importers.list();
      return claim && claimInfo(claim, importer?.status?.filesystemOverhead);
    },
    sizeOf: (key) => {
      const claim = claims.get(key);
      const isOurs = volumes.get(claim?.spec?.volumeName ?? '')?.metadata.annotations?.[PROVISIONED_BY] !== undefined;
      const { storage } = claim?.status?.capacity ?? {};
      return isOurs && storage !== undefined ? Number(toBytes(storage)) : undefined;
    },
    isSharedClaim: (key) => {
      const volume = volumes.get(claims.get(key)?.spec?.volumeName ?? '');
      return volume && isSharedVolume(volume);
    },
    claimProblem: (key) => claimProblem(key, { claims, volumes }),
    upload: (upload) => populator.uploads.take(upload),
    exportedClaim: (claim) => exportedClaim(claim, { claims, volumes, users, stores }),
    isShared: (path) => shared.roots().some((root) => path.startsWith(`${root}/`)),
    sharedRoot: (path) => shared.roots().find((root) => path.startsWith(`${root}/`)),
    ended: Promise.all([backingUp, provisioner, populating, polling, snapshotting, shared.ended]).then(() => undefined),
  };
}
