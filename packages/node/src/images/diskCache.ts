import { createHash, randomUUID } from 'node:crypto';
import { mkdir, readdir, readFile, rename, rm, stat, statfs, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { CacheEntry, Space } from './collect.ts';
import type { PulledImageFile } from './pullProtocol.ts';

/** A disk, or another file, that came out of an image. */
export interface CachedDisk {
  readonly path: string;
  readonly format: 'qcow2' | 'raw';
  readonly checksum: number;
  readonly digest: string;
}

/** An image whose disk is here. */
export interface PulledImage {
  /** With registry and tag: `quay.io/containerdisks/debian:13`. */
  readonly reference: string;
  /** What its disk takes of the file system. */
  readonly bytes: number;
}

/** What is written beside a disk. */
type Label = Pick<CachedDisk, 'format' | 'checksum' | 'digest'>;

/** What a name stood for, and for which architecture. */
interface Reference {
  readonly reference: string;
  readonly digest: string;
}

const UNFINISHED = '.unfinished-';
const DISK = 'disk';
const LABEL = 'image.json';

/**
 * Disks of images by the digest of their image, and which digest a name had when it was last asked for. A disk appears
 * whole or not at all. VMs have hard links to the disks they stand on: so a link count tells whether a disk is in
 * use, and removing one here takes nothing away from a VM.
 */
export class DiskCache {
  readonly #disks: string;
  readonly #references: string;

  constructor(directory: string) {
    this.#disks = join(directory, 'disks');
    this.#references = join(directory, 'references');
  }

  /** Makes the directories and removes what an earlier run did not finish. */
  async open(): Promise<void> {
    for (const each of [this.#disks, this.#references]) await mkdir(each, { recursive: true, mode: 0o700 });
    for (const place of [this.#disks, this.#references])
      for (const name of await readdir(place))
        if (name.includes(UNFINISHED)) await rm(join(place, name), { recursive: true, force: true });
  }

  /** The disk of an image, and that it was used now. */
  async find(digest: string, part: string | undefined, now: Date): Promise<CachedDisk | undefined> {
    const entry = join(this.#disks, entryName(digest, part));
    try {
      const label: Label = JSON.parse(await readFile(join(entry, LABEL), 'utf8'));
      const disk = join(entry, DISK);
      await stat(disk);
      await utimes(entry, now, now);
      return { ...label, path: disk };
    } catch {
      // Not there, or damaged: it is pulled again.
      return undefined;
    }
  }

  /** Has a disk made, and keeps it. */
  async add(
    digest: string,
    part: string | undefined,
    make: (destination: string) => Promise<PulledImageFile>,
  ): Promise<void> {
    const entry = join(this.#disks, entryName(digest, part));
    const unfinished = `${entry}${UNFINISHED}${randomUUID()}`;
    await mkdir(unfinished, { mode: 0o700 });
    try {
      const pulled = await make(join(unfinished, DISK));
      const label: Label = { format: pulled.format ?? 'raw', checksum: pulled.checksum, digest };
      await writeFile(join(unfinished, LABEL), JSON.stringify(label), { mode: 0o600, flush: true });
      await this.#discard(entry);
      await rename(unfinished, entry);
    } finally {
      await rm(unfinished, { recursive: true, force: true });
    }
  }

  /** The digest that a name stood for. */
  async digestOf(reference: string): Promise<string | undefined> {
    try {
      const found: { digest?: string } = JSON.parse(await readFile(this.#referenceFile(reference), 'utf8'));
      return found.digest;
    } catch {
      return undefined;
    }
  }

  async setDigest(reference: string, digest: string): Promise<void> {
    if ((await this.digestOf(reference)) === digest) return;
    const file = this.#referenceFile(reference);
    const unfinished = `${file}${UNFINISHED}${randomUUID()}`;
    await writeFile(unfinished, JSON.stringify({ reference, digest }), { mode: 0o600 });
    await rename(unfinished, file);
  }

  /** The images by the names that they were last pulled under. Needs no `open`: whoever only looks changes nothing. */
  async pulledImages(): Promise<PulledImage[]> {
    const names = await readdir(this.#references).catch(() => []);
    const found = await Promise.all(
      names.map(async (name) => {
        try {
          const { reference, digest }: Reference = JSON.parse(await readFile(join(this.#references, name), 'utf8'));
          const { blocks } = await stat(join(this.#disks, entryName(digest, undefined), DISK));
          return { reference: reference.split(' ')[0] ?? reference, bytes: blocks * 512 };
        } catch {
          // Half written, or collected meanwhile.
          return undefined;
        }
      }),
    );
    const pulled = found.filter((image) => image !== undefined);
    return pulled.sort((a, b) => a.reference.localeCompare(b.reference));
  }

  async entries(): Promise<CacheEntry[]> {
    const names = (await readdir(this.#disks)).filter((name) => !name.includes(UNFINISHED));
    const found = await Promise.all(names.map((name) => this.#entry(name).catch(() => undefined)));
    return found.filter((entry) => entry !== undefined);
  }

  /** How full the file system is. */
  async space(): Promise<Space> {
    const { blocks, bavail, bsize } = await statfs(this.#disks);
    return { freeBytes: bavail * bsize, totalBytes: blocks * bsize };
  }

  async remove(name: string): Promise<void> {
    await this.#discard(join(this.#disks, name));
  }

  /** Names whose disk is gone are forgotten. */
  async forgetReferences(): Promise<void> {
    const digests = new Set((await readdir(this.#disks)).map((name) => name.split('_')[0]));
    for (const name of await readdir(this.#references)) {
      const file = join(this.#references, name);
      const { digest = '' } = JSON.parse(await readFile(file, 'utf8').catch(() => '{}'));
      if (!digests.has(String(digest).replace(':', '-'))) await rm(file, { force: true });
    }
  }

  async #entry(name: string): Promise<CacheEntry> {
    const directory = join(this.#disks, name);
    const [{ mtimeMs }, { nlink, blocks }] = await Promise.all([stat(directory), stat(join(directory, DISK))]);
    return { name, isUsed: nlink > 1, lastUsedMs: mtimeMs, sizeBytes: blocks * 512 };
  }

  /** Under another name first: nobody sees half an entry. */
  async #discard(entry: string): Promise<void> {
    const discarded = `${entry}${UNFINISHED}${randomUUID()}`;
    try {
      await rename(entry, discarded);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return;
      throw error;
    }
    await rm(discarded, { recursive: true, force: true });
  }

  #referenceFile(reference: string): string {
    return join(this.#references, createHash('sha256').update(reference).digest('hex'));
  }
}

/** An image may be asked for several of its files. */
function entryName(digest: string, part: string | undefined): string {
  const suffix = part === undefined ? '' : `_${createHash('sha256').update(part).digest('hex').slice(0, 16)}`;
  return `${digest.replace(':', '-')}${suffix}`;
}
