import { randomUUID } from 'node:crypto';
import { copyFile, mkdir, readdir, rename, rm } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import type { NodeLayout } from './layout.ts';

/**
 * libvirt asks QEMU what it can do before it runs the first guest. That takes seconds, so it keeps the answers, and a
 * new home begins with those of the others on this host. libvirt itself notices answers that are out of date.
 */
export class CapabilityCache {
  readonly #own: string;
  readonly #shared: string;

  constructor(layout: NodeLayout, shared: string = sharedCache(layout.isRoot)) {
    this.#own = join(layout.libvirt, layout.isRoot ? 'cache/qemu/capabilities' : 'cache/libvirt/qemu/capabilities');
    this.#shared = shared;
  }

  /** Before the daemon starts. A home with answers of its own keeps them. */
  async restore(): Promise<void> {
    if ((await capabilityFiles(this.#own)).length > 0) return;
    await mkdir(this.#own, { recursive: true, mode: 0o700 });
    await this.#copy(this.#shared, this.#own);
  }

  async store(): Promise<void> {
    await mkdir(this.#shared, { recursive: true, mode: 0o700 });
    await this.#copy(this.#own, this.#shared);
  }

  /** Each is put in place whole, for another daemon may be reading. */
  async #copy(from: string, to: string): Promise<void> {
    for (const name of await capabilityFiles(from)) {
      const unfinished = join(to, `${randomUUID()}.new`);
      try {
        await copyFile(join(from, name), unfinished);
        await rename(unfinished, join(to, name));
      } finally {
        await rm(unfinished, { force: true });
      }
    }
  }
}

/** Answers depend on who asks: root may use KVM where others may not. */
const sharedCache = (isRoot: boolean): string =>
  isRoot ? '/var/cache/vireo/libvirt' : join(process.env.XDG_CACHE_HOME ?? join(homedir(), '.cache'), 'vireo/libvirt');

const capabilityFiles = async (directory: string): Promise<string[]> =>
  (await readdir(directory).catch(() => [])).filter((name) => name.endsWith('.xml'));
