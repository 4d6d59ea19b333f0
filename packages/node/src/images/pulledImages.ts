import type { Clock } from '@vireo/kube';
import {
  type Credentials,
  formatReference,
  type ImageReference,
  openLocalImage,
  type Progress,
  parseReference,
  RegistryImage,
  type ResolvedImage,
  resolveImage,
} from '@vireo/oci';
import type { BuildProgress } from '../guestImage/buildGuestImage.ts';
import { disksToRemove } from './collect.ts';
import { type CachedDisk, DiskCache } from './diskCache.ts';
import { neverPulled } from './pullFailure.ts';
import type { PullFrom } from './pullProtocol.ts';
import { pullInThread } from './pullThread.ts';
import { registrySettings } from './registries.ts';
import { Semaphore } from './semaphore.ts';

type PullPolicy = 'Always' | 'IfNotPresent' | 'Never';

/** Who wants to know how a pull goes. */
export interface PullObserver {
  /** The registry is being asked. */
  readonly onPulling?: () => void;
  readonly onProgress?: (progress: Progress) => void;
  readonly onPulled?: (pulled: { readonly imageBytes: number; readonly tookMs: number }) => void;
  /** Nobody had to be asked. */
  readonly onPresent?: () => void;
  /** The guest image is not pulled but built. */
  readonly onBuilding?: (progress: BuildProgress) => void;
}

export interface PullOptions extends PullObserver {
  /** Where the disk is in the image. */
  readonly path?: string | undefined;
  /** Whether the file at the path may be anything: a kernel. */
  readonly isAnyFile?: boolean;
  readonly policy?: PullPolicy | undefined;
  /** Asked only when a registry is. */
  readonly credentials?: (reference: ImageReference) => Promise<Credentials | undefined>;
}

export interface PulledImagesOptions {
  /** Where disks are kept. */
  readonly directory: string;
  /** What the owner says about registries. */
  readonly settingsFile: string;
  readonly architecture: string;
  readonly clock: Clock;
  /** Ends transfers. */
  readonly signal: AbortSignal;
}

const MAX_PULLS = 3;

/** A transfer that several may wait for. */
interface Transfer {
  readonly done: Promise<void>;
  readonly observers: Set<PullObserver>;
}

/** Disks out of container images: pulled once, kept by digest, shared by VMs that start together. */
export class PulledImages {
  readonly #options: PulledImagesOptions;
  readonly #cache: DiskCache;
  readonly #pulling = new Semaphore(MAX_PULLS);
  readonly #transfers = new Map<string, Transfer>();
  #opened: Promise<void> | undefined;

  constructor(options: PulledImagesOptions) {
    this.#options = options;
    this.#cache = new DiskCache(options.directory);
  }

  /** The disk of an image in a registry, as the policy wants it. */
  async fromRegistry(image: string, options: PullOptions): Promise<CachedDisk> {
    await this.#open();
    const { architecture, settingsFile, signal } = this.#options;
    const reference = parseReference(image);
    const policy = pullPolicy(options.policy, reference);
    const name = `${formatReference(reference)} ${architecture}`;
    if (policy !== 'Always') {
      const known = await this.#known(name, options);
      if (known) options.onPresent?.();
      if (known) return known;
      if (policy === 'Never') throw neverPulled(image);
    }
    options.onPulling?.();
    const startedAtMs = this.#options.clock.now();
    const settings = await registrySettings(settingsFile, reference.registry);
    const credentials = await options.credentials?.(reference);
    const source = new RegistryImage(reference, { credentials, settings });
    const resolved = await resolveImage(source, architecture, signal);
    const { tag: _, ...untagged } = reference;
    const pinned = formatReference({ ...untagged, digest: resolved.digest });
    const disk = await this.#have(resolved, options, { kind: 'registry', reference: pinned, credentials, settings });
    await this.#cache.setDigest(name, resolved.digest);
    const imageBytes = resolved.layers.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0);
    options.onPulled?.({ imageBytes, tookMs: this.#options.clock.now() - startedAtMs });
    return disk;
  }

  /** The disk of an image in a layout or an archive on this host. */
  async fromFile(path: string, image: string, options: PullOptions): Promise<CachedDisk> {
    await this.#open();
    const source = await openLocalImage(path, image);
    let resolved: ResolvedImage;
    try {
      resolved = await resolveImage(source, this.#options.architecture);
    } finally {
      await source.close();
    }
    return this.#have(resolved, options, { kind: 'local', path, name: image });
  }

  /** Removes disks that nobody uses any more. */
  async collect(): Promise<readonly string[]> {
    await this.#open();
    const [entries, space] = await Promise.all([this.#cache.entries(), this.#cache.space()]);
    const removed = disksToRemove(entries, space, this.#options.clock.now());
    for (const name of removed) await this.#cache.remove(name);
    if (removed.length > 0) await this.#cache.forgetReferences();
    return removed;
  }

  #open(): Promise<void> {
    this.#opened ??= this.#cache.open();
    return this.#opened;
  }

  async #known(name: string, options: PullOptions): Promise<CachedDisk | undefined> {
    const digest = await this.#cache.digestOf(name);
    return digest === undefined ? undefined : this.#find(digest, options);
  }

  #find(digest: string, options: PullOptions): Promise<CachedDisk | undefined> {
    return this.#cache.find(digest, part(options), new Date(this.#options.clock.now()));
  }

  async #have({ digest }: ResolvedImage, options: PullOptions, from: PullFrom): Promise<CachedDisk> {
    const present = await this.#find(digest, options);
    if (present) return present;
    await this.#transferred(digest, options, from);
    const disk = await this.#find(digest, options);
    if (!disk) throw new Error(`the disk of image ${digest} disappeared right after it was pulled`);
    return disk;
  }

  /** Begins a transfer or joins the one that is under way. */
  #transferred(digest: string, options: PullOptions, from: PullFrom): Promise<void> {
    const key = `${digest} ${part(options) ?? ''}`;
    const before = this.#transfers.get(key);
    if (before) {
      before.observers.add(options);
      return before.done;
    }
    const observers = new Set<PullObserver>([options]);
    const { architecture, signal } = this.#options;
    const { path, isAnyFile = false } = options;
    const request = { from, architecture, isDisk: !isAnyFile, ...(path !== undefined && { path }) };
    const onProgress = (progress: Progress): void => {
      for (const observer of observers) observer.onProgress?.(progress);
    };
    const done = this.#pulling
      .take(() =>
        this.#cache.add(digest, part(options), (destination) =>
          pullInThread({ ...request, destination }, onProgress, signal),
        ),
      )
      .finally(() => this.#transfers.delete(key));
    this.#transfers.set(key, { done, observers });
    return done;
  }
}

/** What of an image is kept under one name. Nobody takes for a disk what was not looked at as one. */
const part = ({ path, isAnyFile }: PullOptions): string | undefined => (isAnyFile ? `file ${path}` : path);

/** The policy that holds: the one given, else Always for what moves and IfNotPresent for what has a name of its own. */
const pullPolicy = (given: PullPolicy | undefined, { tag, digest }: ImageReference): PullPolicy =>
  given ?? (digest === undefined && tag === 'latest' ? 'Always' : 'IfNotPresent');
