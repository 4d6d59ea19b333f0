import { randomUUID } from 'node:crypto';
import { cp, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type NodeLayout, nodeLayout } from '@vireo/node';
import { LibvirtdSupervisor } from '@vireo/node/libvirtd/supervisor.ts';
import { vmiFiles } from '@vireo/node/vmi/files.ts';
import { type Model, overlay } from '../vm/model.ts';
import { virsh } from '../vm/virshGuests.ts';
import { endDaemon } from '../vms/libvirtd.ts';
import { downtimeMs } from './jobInfo.ts';
import type { MoveFigures } from './vireoMoves.ts';

const POLL_MS = 200;

/** A guest that virsh moves. */
export interface VirshGuest {
  readonly name: string;
  readonly uuid: string;
  /** The place of the daemon that it runs on. */
  at: 0 | 1;
}

/** Two daemons as Vireo's nodes have them, and guests that `virsh migrate` moves between them. */
export class VirshMoves implements AsyncDisposable {
  readonly #layouts: readonly [NodeLayout, NodeLayout];
  readonly #model: Model;

  private constructor(layouts: readonly [NodeLayout, NodeLayout], model: Model) {
    this.#layouts = layouts;
    this.#model = model;
  }

  /** `knowing`: the node whose daemon knows QEMU already; finding that out takes seconds. */
  static async start(directory: string, knowing: NodeLayout, model: Model): Promise<VirshMoves> {
    const layouts = [nodeLayout(join(directory, 'one'), true), nodeLayout(join(directory, 'two'), true)] as const;
    const moves = new VirshMoves(layouts, model);
    try {
      const log = { debug() {}, info() {}, warn: console.error, error: console.error };
      for (const layout of layouts) {
        await cp(join(knowing.libvirt, 'cache'), join(layout.libvirt, 'cache'), { recursive: true });
        await mkdir(layout.vmis, { recursive: true });
        await new LibvirtdSupervisor(layout, log).ensureRunning();
      }
      return moves;
    } catch (error) {
      await moves[Symbol.asyncDispose]();
      throw error;
    }
  }

  /** Starts a guest on the first of the daemons; with an agent, resolves when that is there. */
  async startGuest(hasAgent: boolean): Promise<VirshGuest> {
    const uuid = randomUUID();
    const guest: VirshGuest = { name: `bench-${uuid}`, uuid, at: 0 };
    const [layout] = this.#layouts;
    const file = await this.#prepare(guest, 0);
    await writeFile(file, this.#model.domain({ name: guest.name, uuid, files: vmiFiles(layout, uuid) }));
    await virsh(layout, 'create', file);
    const connected = /org\.qemu\.guest_agent\.0' state='connected'/;
    while (hasAgent && !connected.test(await virsh(layout, 'dumpxml', guest.name)))
      await new Promise((resolve) => setTimeout(resolve, POLL_MS));
    return guest;
  }

  /** Moves a guest to the other daemon. Its files there are made before the clock starts. */
  async move(guest: VirshGuest): Promise<Pick<MoveFigures, 'moveMs' | 'downtimeMs'>> {
    const to = guest.at === 0 ? 1 : 0;
    const [source, target] = [this.#layouts[guest.at], this.#layouts[to]];
    const file = await this.#prepare(guest, to);
    const [there, here] = [vmiFiles(target, guest.uuid), vmiFiles(source, guest.uuid)];
    const { sockets } = there;
    const xml = await virsh(source, 'dumpxml', '--migratable', '--security-info', guest.name);
    await writeFile(file, xml.replaceAll(here.directory, there.directory).replaceAll(here.sockets, sockets));
    const startedAt = performance.now();
    await virsh(
      source,
      ...['migrate', '--live', '--p2p', '--persistent', '--copy-storage-inc', '--migrate-disks', 'vda', '--xml', file],
      ...['--migrateuri', `unix://${sockets}/memory`, '--disks-uri', `unix://${sockets}/disks`],
      guest.name,
      `qemu+unix:///system?socket=${target.libvirtSocket}`,
    );
    const moveMs = performance.now() - startedAt;
    guest.at = to;
    return { moveMs, downtimeMs: await downtimeMs(target, guest.name) };
  }

  /** Makes the files of a guest on a daemon; resolves with the one that its domain goes to. */
  async #prepare({ uuid }: VirshGuest, at: 0 | 1): Promise<string> {
    const { image, disk, otherFiles } = this.#model;
    const files = vmiFiles(this.#layouts[at], uuid);
    await mkdir(files.directory, { recursive: true });
    await mkdir(files.sockets, { recursive: true });
    await overlay(image, join(files.directory, disk));
    for (const [other, copy] of otherFiles) await cp(copy, join(files.directory, other));
    return join(files.directory, 'domain.xml');
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const layout of this.#layouts) await endDaemon(layout);
  }
}
