import { dirname, join, resolve } from 'node:path';
import { isSharedVolume, type PersistentVolume, type StorageClass, sharedIdOf } from '@vireo/api';
import { SHARED_DIRECTORY, SHARED_ID, SHARED_PROVISIONER } from '@vireo/api/kinds/core/volumeNames.ts';
import { SNAPSHOT_DIRECTORY } from '@vireo/api/kinds/volumesnapshot/names.ts';
import type { VolumeSnapshotContent } from '@vireo/api/kinds/volumesnapshot/volumeSnapshotContent.ts';
import { SHARED_SNAPSHOTS } from './shared/directory.ts';
import { expectMounted } from './shared/mounted.ts';
import { VolumeStore } from './store.ts';

/** Where the volumes and snapshots of this node and of shared directories are. */
export class VolumeStores {
  readonly local: VolumeStore;
  readonly #kept: VolumeStore;
  readonly #node: string;
  /** By what they are known by and where they are. */
  readonly #shared = new Map<string, VolumeStore>();
  /** Shared directories from which what an earlier run left unfinished is cleared away, or is about to be. */
  readonly #cleared = new Map<string, Promise<void>>();
  /** Where direct I/O has worked. Where it has not, it may the next time: a directory may not have been mounted. */
  readonly #directIo = new Set<string>();

  constructor(directory: string, snapshotDirectory: string, node: string) {
    this.local = new VolumeStore(directory);
    this.#kept = new VolumeStore(snapshotDirectory);
    this.#node = node;
  }

  async open(): Promise<void> {
    await Promise.all([this.local.open(), this.#kept.open()]);
  }

  /** Where volumes of a class are made. */
  ofClass({ metadata, provisioner, parameters }: StorageClass): VolumeStore {
    const given = parameters?.[SHARED_DIRECTORY];
    // As it is in the paths of volumes, however it is written.
    const path = given && resolve(given);
    return provisioner === SHARED_PROVISIONER && path
      ? this.#at(path, path, metadata.annotations?.[SHARED_ID])
      : this.local;
  }

  /** Where a volume is that this node or another has made. */
  ofVolume(volume: PersistentVolume): VolumeStore {
    const path = volume.spec?.local?.path;
    if (!isSharedVolume(volume) || !path) return this.local;
    const directory = dirname(path);
    return this.#at(directory, directory, sharedIdOf(volume));
  }

  /** Where the data of a snapshot is kept. */
  ofContent({ metadata, spec }: VolumeSnapshotContent): VolumeStore {
    const { [SNAPSHOT_DIRECTORY]: path, [SHARED_ID]: id } = metadata.annotations ?? {};
    return spec.driver === SHARED_PROVISIONER && path ? this.#at(path, join(path, SHARED_SNAPSHOTS), id) : this.#kept;
  }

  /** Throws `NotMounted` where the directory of a volume that several nodes have is not mounted here. */
  async expectUsable(volume: PersistentVolume): Promise<void> {
    if (isSharedVolume(volume)) await this.ofVolume(volume).expectUsable();
  }

  /** Whether the disk of a volume can be read and written past the host's cache. */
  async hasDirectIo(volume: PersistentVolume): Promise<boolean> {
    const store = this.ofVolume(volume);
    if (this.#directIo.has(store.root)) return true;
    const hasDirectIo = await store.hasDirectIo();
    if (hasDirectIo) this.#directIo.add(store.root);
    return hasDirectIo;
  }

  /** Clears away, once, what an earlier run of this node left unfinished in a shared directory that is mounted. */
  clearLeftovers(path: string): Promise<void> {
    const directory = resolve(path);
    const clearing =
      this.#cleared.get(directory) ??
      Promise.all(
        [directory, join(directory, SHARED_SNAPSHOTS)].map((root) =>
          new VolumeStore(root, { node: this.#node, expectUsable: async () => {} }).clearLeftovers(),
        ),
      ).then(() => {});
    this.#cleared.set(directory, clearing);
    clearing.catch(() => this.#cleared.delete(directory));
    return clearing;
  }

  #at(directory: string, root: string, id: string | undefined): VolumeStore {
    const key = `${id} ${root}`;
    const expectUsable = async (): Promise<void> => {
      await expectMounted(directory, id);
      // Before anything new is begun, which would be taken for a leftover.
      await this.clearLeftovers(directory);
    };
    const store = this.#shared.get(key) ?? new VolumeStore(root, { node: this.#node, expectUsable });
    this.#shared.set(key, store);
    return store;
  }
}
