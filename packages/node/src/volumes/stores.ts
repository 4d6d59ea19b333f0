import { dirname, join } from 'node:path';
import { isSharedVolume, type PersistentVolume, type StorageClass } from '@vireo/api';
import { SHARED_DIRECTORY, SHARED_PROVISIONER } from '@vireo/api/kinds/core/volumeNames.ts';
import { SNAPSHOT_DIRECTORY } from '@vireo/api/kinds/volumesnapshot/names.ts';
import type { VolumeSnapshotContent } from '@vireo/api/kinds/volumesnapshot/volumeSnapshotContent.ts';
import { SHARED_SNAPSHOTS } from './shared/directory.ts';
import { VolumeStore } from './store.ts';

/** Where the volumes and snapshots of this node and of shared directories are. */
export class VolumeStores {
  readonly local: VolumeStore;
  readonly #kept: VolumeStore;
  readonly #node: string;
  readonly #shared = new Map<string, VolumeStore>();
  readonly #directIo = new Map<string, Promise<boolean>>();

  constructor(directory: string, snapshotDirectory: string, node: string) {
    this.local = new VolumeStore(directory);
    this.#kept = new VolumeStore(snapshotDirectory);
    this.#node = node;
  }

  async open(): Promise<void> {
    await Promise.all([this.local.open(), this.#kept.open()]);
  }

  /** Where volumes of a class are made. */
  ofClass({ provisioner, parameters }: StorageClass): VolumeStore {
    const path = parameters?.[SHARED_DIRECTORY];
    return provisioner === SHARED_PROVISIONER && path ? this.#at(path) : this.local;
  }

  /** Where a volume is that this node or another has made. */
  ofVolume(volume: PersistentVolume): VolumeStore {
    const path = volume.spec?.local?.path;
    return isSharedVolume(volume) && path ? this.#at(dirname(path)) : this.local;
  }

  /** Where the data of a snapshot is kept. */
  ofContent({ metadata, spec }: VolumeSnapshotContent): VolumeStore {
    const path = metadata.annotations?.[SNAPSHOT_DIRECTORY];
    return spec.driver === SHARED_PROVISIONER && path ? this.#at(join(path, SHARED_SNAPSHOTS)) : this.#kept;
  }

  /** Whether the disk of a volume can be read and written past the host's cache. */
  hasDirectIo(volume: PersistentVolume): Promise<boolean> {
    const store = this.ofVolume(volume);
    const known = this.#directIo.get(store.root) ?? store.hasDirectIo();
    this.#directIo.set(store.root, known);
    return known;
  }

  #at(root: string): VolumeStore {
    const store = this.#shared.get(root) ?? new VolumeStore(root, this.#node);
    this.#shared.set(root, store);
    return store;
  }
}
