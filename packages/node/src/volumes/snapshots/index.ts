import { isDeleting, isReason, type Persisted, type PersistentVolume, timestamp } from '@vireo/api';
import { LOCAL_PROVISIONER, SHARED_PROVISIONER } from '@vireo/api/kinds/core/volumeNames.ts';
import { CONTENT_PROTECTION, MANAGED_BY } from '@vireo/api/kinds/volumesnapshot/names.ts';
import { VolumeSnapshotContent } from '@vireo/api/kinds/volumesnapshot/volumeSnapshotContent.ts';
import { bytesQuantity, formatBytes, toBytes } from '@vireo/api/quantity.ts';
import { type Informer, ignoreNotFound, type Result, runController } from '@vireo/kube';
import type { CopySource } from '../cloneSource.ts';
import type { VolumeContext } from '../context.ts';
import { copyVolume } from '../copy.ts';
import { isOurs } from '../provision/decide.ts';
import { NotReady, OnAnotherNode } from '../provision/notReady.ts';
import { GROUP_TIMEOUT_MS, incomplete, snapshotGroup } from './group.ts';

const RETRY_MS = 10_000;

type Content = Persisted<VolumeSnapshotContent>;

export interface SnapshotParts {
  readonly contents: Informer<VolumeSnapshotContent>;
  /** Pauses the guests that write to volumes while copies are made. */
  readonly whilePaused: (volumes: readonly Persisted<PersistentVolume>[], copy: () => Promise<void>) => Promise<void>;
}

/** Keeps the data of snapshots of this node's volumes: copies it, says so, and removes it again. */
export async function runSnapshots(context: VolumeContext, parts: SnapshotParts, signal: AbortSignal): Promise<void> {
  const { client, volumes, stores, node, clock, log } = context;
  const { contents, whilePaused } = parts;
  const resource = client.of(VolumeSnapshotContent);

  /** Copies what is to be of one moment while nobody writes to any of it, and then says of all that it is there. */
  async function cut(members: readonly Persisted<VolumeSnapshotContent>[]): Promise<void> {
    const sources = members.map((content) => ({ content, volume: volumeOf(content) }));
    const at = clock.now();
    for (const { volume } of sources) await stores.expectUsable(volume);
    const isKept = await Promise.all(members.map((content) => stores.ofContent(content).has(content.metadata.name)));
    if (isKept.includes(false)) {
      const missing = sources.filter(({ content }) => !content.status?.readyToUse);
      // Of a group that was cut short, what was copied is of another moment.
      for (const { content } of missing) await stores.ofContent(content).remove(content.metadata.name);
      await expectSpace(missing);
      const copyAll = async (): Promise<void> => {
        for (const { content, volume } of missing) await copy(content, volume);
      };
      await whilePaused(
        missing.map(({ volume }) => volume),
        copyAll,
      );
    }
    for (const { content, volume } of sources) if (!content.status?.readyToUse) await writeStatus(content, volume, at);
  }

  async function expectSpace(
    copies: readonly { content: Content; volume: Persisted<PersistentVolume> }[],
  ): Promise<void> {
    const diskOf = ({ volume }: (typeof copies)[number]): string => stores.ofVolume(volume).disk(volume.metadata.name);
    for (const store of new Set(copies.map(({ content }) => stores.ofContent(content)))) {
      await store.makeRoot();
      const there = copies.filter(({ content }) => stores.ofContent(content) === store);
      await store.expectSpaceForCopies(there.map(diskOf));
    }
  }

  function volumeOf({ spec }: Persisted<VolumeSnapshotContent>): Persisted<PersistentVolume> {
    const volume = volumes.get(spec.source.volumeHandle ?? '');
    if (volume && isOurs(volume, node)) return volume;
    throw new NotReady(`PersistentVolume ${spec.source.volumeHandle} is not on node ${node}`);
  }

  const copy = (content: Content, volume: Persisted<PersistentVolume>): Promise<void> => {
    const source = stores.ofVolume(volume).disk(volume.metadata.name);
    const fill = (disk: string): Promise<void> => copyVolume(source, disk, signal);
    return stores.ofContent(content).create(content.metadata.name, sizeOf(volume), fill);
  };

  async function writeStatus(
    content: Persisted<VolumeSnapshotContent>,
    volume: Persisted<PersistentVolume>,
    at: number,
  ): Promise<void> {
    await resource.patchStatusIfUnchanged(content, {
      snapshotHandle: content.metadata.name,
      creationTime: Math.floor(at) * 1e6,
      restoreSize: sizeOf(volume),
      readyToUse: true,
      error: null,
    });
  }

  async function complain({ metadata, status }: Persisted<VolumeSnapshotContent>, message: string): Promise<void> {
    if (status?.error?.message === message) return;
    const error = { message, time: timestamp(new Date(clock.now())) };
    await resource.patchStatus(metadata.name, { status: { readyToUse: false, error } }, { type: 'merge' });
  }

  async function end(content: Persisted<VolumeSnapshotContent>): Promise<void> {
    const { name, finalizers } = content.metadata;
    if (!finalizers?.includes(CONTENT_PROTECTION)) return;
    if (content.spec.deletionPolicy === 'Delete') await stores.ofContent(content).remove(name);
    await resource.removeFinalizer(content, CONTENT_PROTECTION).catch(ignoreNotFound);
  }

  const isHere = ({ metadata, spec }: Persisted<VolumeSnapshotContent>): boolean =>
    isOurDriver(spec.driver) && metadata.labels?.[MANAGED_BY] === node;

  async function reconcile(key: string): Promise<Result | undefined> {
    const content = contents.get(key);
    if (!content || !isHere(content)) return undefined;
    if (isDeleting(content)) {
      await end(content);
      return undefined;
    }
    if (content.status?.readyToUse) return undefined;
    // The last of a group to come brings the others along.
    const together = snapshotGroup(content, contents.list().filter(isHere));
    if (!('members' in together)) {
      const leftMs = Date.parse(content.metadata.creationTimestamp) + GROUP_TIMEOUT_MS - clock.now();
      if (leftMs > 0) return { requeueAfterMs: leftMs };
      await complain(content, incomplete(together));
      return undefined;
    }
    try {
      await cut(together.members);
      return undefined;
    } catch (error) {
      if (isReason(error, 'Conflict')) throw error;
      await complain(content, error instanceof Error ? error.message : String(error));
      log.warn('cannot take a snapshot', content, { error });
      return { requeueAfterMs: RETRY_MS };
    }
  }

  await runController({ name: 'snapshots', for: contents, reads: [volumes], reconcile }, context, signal);
}

const isOurDriver = (driver: string): boolean => driver === LOCAL_PROVISIONER || driver === SHARED_PROVISIONER;

const sizeOf = ({ spec }: Persisted<PersistentVolume>): number => Number(toBytes(spec?.capacity?.storage ?? '0'));

/** The data of a snapshot that is to become a claim of the given size. Throws while it cannot be read. */
export function snapshotSource(
  content: Persisted<VolumeSnapshotContent> | undefined,
  key: string,
  sizeBytes: number,
  { stores, node }: Pick<VolumeContext, 'stores' | 'node'>,
): CopySource {
  if (!content) throw new NotReady(`VolumeSnapshot ${key} does not exist or has no content`);
  const isHere = content.metadata.labels?.[MANAGED_BY] === node || content.spec.driver === SHARED_PROVISIONER;
  if (!isOurDriver(content.spec.driver) || !isHere)
    throw new OnAnotherNode(`VolumeSnapshot ${key}`, content.metadata.labels?.[MANAGED_BY], node);
  if (!content.status?.readyToUse) throw new NotReady(`VolumeSnapshot ${key} is not ready to use`);
  const least = Number(content.status.restoreSize ?? 0);
  if (sizeBytes < least)
    throw new NotReady(
      `VolumeSnapshot ${key} has ${formatBytes(least)}, but only ${formatBytes(sizeBytes)} was requested: request at least ${bytesQuantity(least)}`,
    );
  return { store: stores.ofContent(content), name: content.metadata.name };
}
