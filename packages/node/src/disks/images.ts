import { access, mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { bootSectorDisk } from '../guestImage/bootSectorGuest.ts';
import { buildGuestImage } from '../guestImage/buildGuestImage.ts';

/** A disk image of the local store. */
export interface LocalImage {
  readonly path: string;
  readonly format: 'raw' | 'qcow2';
}

/** The image that a containerDisk names is not in the local store. */
export class ImageNotFound extends Error {
  constructor(image: string, known: readonly string[]) {
    super(`image ${JSON.stringify(image)} is not in the local store; it has: ${known.join(', ')}`);
    this.name = 'ImageNotFound';
  }
}

export const GUEST_IMAGE = 'vireo/guest';
export const BOOT_SECTOR_IMAGE = 'vireo/boot-sector';

/** Images for containerDisks: those that Vireo makes itself, and disk files put below `<home>/images/<name>`. */
export class ImageStore {
  readonly #directory: string;
  readonly #cache: string;
  readonly #log: (line: string) => void;
  /** Images that are made or being made: machines that start together share the work. */
  readonly #making = new Map<string, Promise<LocalImage>>();

  constructor(options: { directory: string; cache: string; log: (line: string) => void }) {
    this.#directory = options.directory;
    this.#cache = options.cache;
    this.#log = options.log;
  }

  /** Finds or makes the image. A tag is part of the name, except `latest`, which may be left out. */
  async resolve(reference: string): Promise<LocalImage> {
    const image = reference.replace(/:latest$/, '');
    if (image === GUEST_IMAGE) return this.#once(image, () => this.#guestImage());
    if (image === BOOT_SECTOR_IMAGE) return this.#once(image, () => this.#bootSector());
    // Names are paths of the form a/b/c:tag; nothing else may reach the file system.
    if (!/^[a-z0-9]+([._/:-][a-z0-9]+)*$/i.test(image))
      throw new ImageNotFound(reference, [GUEST_IMAGE, BOOT_SECTOR_IMAGE]);
    for (const format of ['qcow2', 'raw'] as const) {
      const path = join(this.#directory, ...image.split('/'), `disk.${format}`);
      if (await exists(path)) return { path, format };
    }
    throw new ImageNotFound(reference, [GUEST_IMAGE, BOOT_SECTOR_IMAGE]);
  }

  /** Made once for as long as we run; a new version of it is for the next start. */
  #once(image: string, make: () => Promise<LocalImage>): Promise<LocalImage> {
    const before: Promise<LocalImage | undefined> = this.#making.get(image) ?? Promise.resolve(undefined);
    const making = before.then(async (made) => (made && (await exists(made.path)) ? made : make()));
    this.#making.set(image, making);
    making.catch(() => this.#making.delete(image));
    return making;
  }

  async #guestImage(): Promise<LocalImage> {
    const path = await buildGuestImage({
      cacheDir: this.#cache,
      onStep: (title) => this.#log(title),
    });
    return { path, format: path.endsWith('.qcow2') ? 'qcow2' : 'raw' };
  }

  async #bootSector(): Promise<LocalImage> {
    const path = join(this.#directory, 'boot-sector.img');
    const wanted = bootSectorDisk();
    const present = await readFile(path).catch(() => undefined);
    if (!present?.equals(wanted)) {
      await mkdir(this.#directory, { recursive: true, mode: 0o700 });
      await writeFile(path, wanted, { mode: 0o600 });
    }
    return { path, format: 'raw' };
  }
}

const exists = (path: string): Promise<boolean> =>
  access(path).then(
    () => true,
    () => false,
  );
