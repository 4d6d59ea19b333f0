import { mkdir, readFile, realpath } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { type Clock, systemClock } from '@vireo/kube';
import { OciError } from '@vireo/oci';
import { exists } from '../exists.ts';
import { bootSectorDisk } from '../guestImage/bootSectorGuest.ts';
import { type BuildProgress, buildGuestImage } from '../guestImage/buildGuestImage.ts';
import type { CachedDisk } from '../images/diskCache.ts';
import { findLocalImage, isLocalForm } from '../images/localImages.ts';
import { PulledImages, type PullObserver, type PullOptions } from '../images/pulledImages.ts';
import { pullFailure } from '../images/pullFailure.ts';
import { replaceFile } from '../replaceFile.ts';

/** A disk image on this host. */
export interface LocalImage {
  readonly path: string;
  readonly format: 'raw' | 'qcow2';
  /** CRC-32 of the file, where it came out of a container image. */
  readonly checksum?: number;
  /** Whether it may be removed when no VM has a link to it. */
  readonly isCached?: boolean;
}

/** An image of Vireo's own that there is not. */
export class ImageNotFound extends Error {
  constructor(image: string, known: readonly string[], node: string | undefined) {
    super(`image ${JSON.stringify(image)} is not in the local store${ofNode(node)}; it has: ${known.join(', ')}`);
    this.name = 'ImageNotFound';
  }
}

const ofNode = (node: string | undefined): string => (node === undefined ? '' : ` of node ${node}`);

export const GUEST_IMAGE = 'vireo/guest';
export const BOOT_SECTOR_IMAGE = 'vireo/boot-sector';

const COLLECT_MS = 300_000;

export interface ImageStoreOptions {
  readonly directory: string;
  readonly cache: string;
  readonly log: (line: string) => void;
  /** Whose images are taken from lists; this host's when missing. */
  readonly architecture?: string;
  /** What the owner says about registries; `registries.json` beside the directory when missing. */
  readonly registries?: string;
  readonly clock?: Clock;
  /** The node's name, for messages. */
  readonly node?: string;
  /** Ends transfers. */
  readonly signal?: AbortSignal;
}

/**
 * Images for containerDisks: those that Vireo makes itself, those that lie below `<home>/images`, and those of
 * registries.
 */
export class ImageStore {
  readonly #directory: string;
  readonly #cache: string;
  readonly #log: (line: string) => void;
  readonly #clock: Clock;
  readonly #pulled: PulledImages;
  readonly #node: string | undefined;
  /** Images that are made or being made: VMs that start together share the work. */
  readonly #making = new Map<string, Promise<LocalImage>>();
  /** Those who wait for the guest image, and how far its build is. */
  readonly #buildObservers = new Set<PullObserver>();
  #build: BuildProgress | undefined;

  constructor(options: ImageStoreOptions) {
    const { directory, cache, log, clock = systemClock } = options;
    this.#directory = directory;
    this.#cache = cache;
    this.#log = log;
    this.#clock = clock;
    this.#node = options.node;
    this.#pulled = new PulledImages({
      directory: join(directory, 'oci'),
      settingsFile: options.registries ?? join(dirname(directory), 'registries.json'),
      architecture: options.architecture ?? (process.arch === 'arm64' ? 'arm64' : 'amd64'),
      clock,
      signal: options.signal ?? new AbortController().signal,
    });
  }

  /** Finds, makes or pulls the image. What lies on this host under its name comes before any registry. */
  async resolve(reference: string, options: PullOptions = {}): Promise<LocalImage> {
    const image = reference.replace(/:latest$/, '');
    if (image === GUEST_IMAGE) return this.#guestImage(options);
    if (image === BOOT_SECTOR_IMAGE) return this.#once(image, () => this.#bootSector());
    const local = await findLocalImage(this.#directory, reference);
    if (local?.kind === 'disk') return local;
    // The name is Vireo's: somebody else's image of that name is not what was meant.
    if (!local && image.startsWith('vireo/'))
      throw new ImageNotFound(reference, [GUEST_IMAGE, BOOT_SECTOR_IMAGE], this.#node);
    return this.#unpacked(reference, local?.path, options);
  }

  /** Whether a file, by its real path, is in our own directories, so that its rights are ours to change. */
  async keeps(path: string): Promise<boolean> {
    const places = [this.#directory, this.#cache].map((place) => realpath(place).catch(() => place));
    return (await Promise.all(places)).some((place) => path.startsWith(`${place}/`));
  }

  /** Whether the image is Vireo's own or lies below `<home>/images`: no registry is asked for it. */
  async isLocal(reference: string): Promise<boolean> {
    if (reference.startsWith('vireo/') || isLocalForm(reference)) return true;
    return (await findLocalImage(this.#directory, reference)) !== undefined;
  }

  /** A file of an image that is no disk: a kernel. */
  async file(reference: string, path: string, options: PullOptions = {}): Promise<LocalImage> {
    const local = await findLocalImage(this.#directory, reference);
    if (local?.kind === 'disk')
      throw new Error(`image ${JSON.stringify(reference)} is a disk image, which does not contain ${path}`);
    return this.#unpacked(reference, local?.path, { ...options, path, isAnyFile: true });
  }

  #notHere(): OciError {
    const elsewhere = this.#node
      ? `${ofNode(this.#node)}: images of one host are not on others; push it to a registry`
      : '';
    return new OciError('NotFound', `no such image in ${this.#directory}${elsewhere}`);
  }

  /** What is inside an image, from a file of this host or from its registry. */
  async #unpacked(reference: string, file: string | undefined, options: PullOptions): Promise<LocalImage> {
    try {
      if (file !== undefined) return toLocalImage(await this.#pulled.fromFile(file, reference, options));
      if (isLocalForm(reference)) throw this.#notHere();
      return toLocalImage(await this.#pulled.fromRegistry(reference, options));
    } catch (error) {
      throw pullFailure(reference, error);
    }
  }

  /** Removes pulled disks that nobody uses any more, now and then, until `signal` aborts. */
  keepTidy(signal: AbortSignal): void {
    const tidy = async (): Promise<void> => {
      try {
        for (const name of await this.#pulled.collect()) this.#log(`removed the unused image ${name}`);
      } catch (error) {
        this.#log(`cannot remove unused images: ${(error as Error).message}`);
      }
      if (!signal.aborted) cancel = this.#clock.after(COLLECT_MS, () => void tidy());
    };
    let cancel = (): void => {};
    signal.addEventListener('abort', () => cancel(), { once: true });
    void tidy();
  }

  /** Made once for as long as we run; a new version of it is for the next start. */
  #once(image: string, make: () => Promise<LocalImage>): Promise<LocalImage> {
    const before: Promise<LocalImage | undefined> = this.#making.get(image) ?? Promise.resolve(undefined);
    const making = before.then(async (made) => (made && (await exists(made.path)) ? made : make()));
    this.#making.set(image, making);
    making.catch(() => this.#making.delete(image));
    return making;
  }

  /** Whoever comes while the image is being built hears at once how far that is. */
  async #guestImage(observer: PullObserver): Promise<LocalImage> {
    this.#buildObservers.add(observer);
    if (this.#build) observer.onBuilding?.(this.#build);
    try {
      return await this.#once(GUEST_IMAGE, () => this.#buildGuest());
    } finally {
      this.#buildObservers.delete(observer);
    }
  }

  async #buildGuest(): Promise<LocalImage> {
    const onProgress = (progress: BuildProgress): void => {
      if (progress.step !== this.#build?.step) this.#log(progress.step);
      this.#build = progress;
      for (const observer of this.#buildObservers) observer.onBuilding?.(progress);
    };
    try {
      const path = await buildGuestImage({ cacheDir: this.#cache, onProgress });
      return { path, format: path.endsWith('.qcow2') ? 'qcow2' : 'raw' };
    } finally {
      this.#build = undefined;
    }
  }

  async #bootSector(): Promise<LocalImage> {
    const path = join(this.#directory, 'boot-sector.img');
    const wanted = bootSectorDisk();
    const present = await readFile(path).catch(() => undefined);
    if (!present?.equals(wanted)) {
      await mkdir(this.#directory, { recursive: true, mode: 0o700 });
      // Guests that run have the one before.
      await replaceFile(path, wanted);
    }
    return { path, format: 'raw' };
  }
}

const toLocalImage = ({ path, format, checksum }: CachedDisk): LocalImage => ({
  path,
  format,
  checksum,
  isCached: true,
});
