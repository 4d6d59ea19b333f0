import { mkdir, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { LIBVIRT_ARCHITECTURE } from '@vireo/hypervisor';
import type { Log } from '@vireo/kube';
import { connect, type KeepAliveOptions } from '@vireo/libvirt';
import { resumeFencing } from '../fencing/resumeFencing.ts';
import { CapabilityCache } from './capabilityCache.ts';
import { type NodeLayout, nodeLayout } from './layout.ts';
import { SessionNetwork } from './sessionNetwork.ts';
import { LibvirtdSupervisor, openToGuests } from './supervisor.ts';

/** A daemon that answers, and has asked QEMU what it can do. */
export interface Hypervisor {
  readonly layout: NodeLayout;
  readonly supervisor: LibvirtdSupervisor;
  readonly keepAlive: KeepAliveOptions;
  /** The network of an ordinary user's guests. */
  readonly session?: SessionNetwork;
}

export interface HypervisorOptions {
  /** Where libvirt's answers of QEMU are shared with other homes. */
  readonly capabilityCache?: string;
  /** When a silent daemon counts as lost. Default: between 10 and 13 s of silence. */
  readonly keepAlive?: KeepAliveOptions;
  /** How long one that is lost, but there, may take to answer a new connection before it is replaced. Default: 10 s. */
  readonly answerMs?: number;
}

/** libvirtd answers pings beside all its work, so a few that stay without answer tell enough. */
const KEEP_ALIVE: KeepAliveOptions = { intervalMs: 2_500, count: 3 };

/**
 * Starts the home's libvirtd, or finds the one of an earlier run, and has it ask QEMU what it can do: the first VM
 * does not wait for that. Nothing of the server is needed, so it can begin while that comes up.
 */
export async function startHypervisor(home: string, log: Log, options: HypervisorOptions = {}): Promise<Hypervisor> {
  const { capabilityCache, keepAlive = KEEP_ALIVE, answerMs } = options;
  const layout = nodeLayout(home, process.getuid?.() === 0);
  for (const directory of [home, layout.vmis, layout.images, layout.run, join(layout.run, 'machines')])
    await mkdir(directory, { recursive: true, mode: 0o700 });
  await refuseOthers(dirname(layout.run));
  await resumeFencing(home, log);
  const cache = new CapabilityCache(layout, capabilityCache);
  await cache.restore();
  const session = layout.isRoot ? undefined : new SessionNetwork(layout, log);
  const supervisor = new LibvirtdSupervisor(layout, log, answerMs, session);
  await supervisor.ensureRunning();
  // One that an earlier version has started keeps them closed.
  await openToGuests(layout);
  await askQemu(layout);
  // Only the next home would have gained by it.
  await cache
    .store()
    .catch((error: unknown) => log.warn('cannot cache the QEMU capabilities of libvirt', undefined, { error }));
  return { layout, supervisor, keepAlive, ...(session && { session }) };
}

/** Whoever owns the directory of the sockets owns the VMs, and below /tmp anybody may have been first. */
async function refuseOthers(directory: string): Promise<void> {
  const { uid } = await stat(directory);
  const self = process.getuid?.() ?? uid;
  if (uid !== self)
    throw new Error(`${directory} belongs to user ${uid}, not to ${self}: remove it, or set XDG_RUNTIME_DIR`);
}

async function askQemu({ libvirtSocket: socket, uri }: NodeLayout): Promise<void> {
  const libvirt = await connect({ socket, uri });
  const [arch, machine] =
    process.arch === 'arm64' ? [LIBVIRT_ARCHITECTURE.arm64, 'virt'] : [LIBVIRT_ARCHITECTURE.amd64, 'q35'];
  await libvirt.domainCapabilities({ arch, machine, virtType: 'qemu' });
  await libvirt.close();
}
