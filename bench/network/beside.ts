import { randomUUID } from 'node:crypto';
import { copyFile, cp, mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { run } from '@vireo/network';
import { type NodeLayout, nodeLayout } from '@vireo/node';
import { LibvirtdSupervisor } from '@vireo/node/libvirtd/supervisor.ts';
import { vmiFiles } from '@vireo/node/vmi/files.ts';
import { type Model, overlay } from '../vm/model.ts';
import { virsh } from '../vm/virshGuests.ts';
import { destroyAll, endDaemon } from '../vms/libvirtd.ts';
import { type CpuShare, guestPid } from './cpuShare.ts';
import type { Guest } from './guest.ts';

const NETWORK = 'bench';
const BRIDGE = 'libvirt0';
const PREFIX = '192.168.222';
const FIRST = 10;
const MOST_GUESTS = 20;

const macOf = (number: number): string => `02:00:00:00:01:${(FIRST + number).toString(16).padStart(2, '0')}`;
const addressOf = (number: number): string => `${PREFIX}.${FIRST + number}`;
const numbers = Array.from({ length: MOST_GUESTS }, (_, number) => number);

/** As libvirt's default network, without the spanning tree protocol: a port forwards at once. */
const networkXml = `<network>
  <name>${NETWORK}</name>
  <forward mode='nat'/>
  <bridge name='${BRIDGE}' stp='off' delay='0'/>
  <ip address='${PREFIX}.1' netmask='255.255.255.0'>
    <dhcp>
${numbers.map((number) => `      <host mac='${macOf(number)}' ip='${addressOf(number)}'/>`).join('\n')}
    </dhcp>
  </ip>
</network>
`;

/** A libvirtd of its own with a network of libvirt's, and guests that virsh starts. */
export class Beside implements AsyncDisposable {
  readonly #layout: NodeLayout;
  readonly #model: Model;
  readonly #share: CpuShare | undefined;
  #lastNumber = 0;

  private constructor(layout: NodeLayout, model: Model, share: CpuShare | undefined) {
    this.#layout = layout;
    this.#model = model;
    this.#share = share;
  }

  /** `knowing`: the node whose daemon knows QEMU already; finding that out takes seconds. `share`: of the CPUs, for guests. */
  static async start(home: string, knowing: NodeLayout, model: Model, share: CpuShare | undefined): Promise<Beside> {
    const layout = nodeLayout(home, knowing.isRoot);
    await cp(join(knowing.libvirt, 'cache'), join(layout.libvirt, 'cache'), { recursive: true });
    await mkdir(layout.vmis, { recursive: true });
    const beside = new Beside(layout, model, share);
    try {
      const log = { debug() {}, info() {}, warn: console.error, error: console.error };
      await new LibvirtdSupervisor(layout, log).ensureRunning();
      const file = join(home, 'network.xml');
      await writeFile(file, networkXml);
      await virsh(layout, 'net-define', file);
      await virsh(layout, 'net-start', NETWORK);
      // The host knows its guests, as Vireo's does: it would otherwise ask for them once a second until they are there.
      for (const number of numbers)
        await run('ip', [
          ...['neigh', 'replace', addressOf(number), 'lladdr', macOf(number)],
          ...['dev', BRIDGE, 'nud', 'permanent'],
        ]);
      return beside;
    } catch (error) {
      await beside[Symbol.asyncDispose]();
      throw error;
    }
  }

  /** Makes the files of a guest; what it resolves with starts the guest, and resolves when virsh is done. */
  async prepare(isUser = false): Promise<{ guest: Guest; start: () => Promise<void> }> {
    const number = this.#lastNumber++ % MOST_GUESTS;
    const { domain, image, disk, otherFiles } = this.#model;
    const uuid = randomUUID();
    const files = vmiFiles(this.#layout, uuid);
    await mkdir(files.directory, { recursive: true });
    await mkdir(files.sockets, { recursive: true });
    await overlay(image, join(files.directory, disk));
    for (const [name, copy] of otherFiles) await copyFile(copy, join(files.directory, name));
    const mac = macOf(number);
    const card = isUser ? { mac } : { mac, network: NETWORK };
    const file = join(files.directory, 'domain.xml');
    const name = `bench-${uuid}`;
    const guest: Guest = { domain: name, mac, ...(!isUser && { address: addressOf(number) }) };
    await writeFile(file, domain({ name, uuid, files, card }));
    const start = async (): Promise<void> => {
      await virsh(this.#layout, 'create', file);
      await this.#share?.take(await this.pidOf(guest));
    };
    return { guest, start };
  }

  /** The process of a guest that runs. */
  pidOf({ domain }: Guest): Promise<number> {
    return guestPid(this.#layout.libvirt, domain);
  }

  /** Ends all guests. */
  async clear(): Promise<void> {
    await destroyAll(this.#layout);
    await rm(this.#layout.vmis, { recursive: true, force: true });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await destroyAll(this.#layout);
    // Ends dnsmasq, which is nobody's child.
    await virsh(this.#layout, 'net-destroy', NETWORK).catch(() => {});
    await endDaemon(this.#layout);
    await this.#share?.[Symbol.asyncDispose]();
  }
}
