import { rm, rmdir } from 'node:fs/promises';
import { dirname } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { consoleLog, type Log } from '@vireo/kube';
import { connect } from '@vireo/libvirt';
import { removeNetwork } from '@vireo/network';
import { DeadMan } from '../fencing/deadMan.ts';
import { daemonPid } from '../libvirtd/daemonPid.ts';
import type { NodeLayout } from '../libvirtd/layout.ts';
import { SessionNetwork } from '../libvirtd/sessionNetwork.ts';
import { LibvirtdSupervisor } from '../libvirtd/supervisor.ts';
import { GuestGroups } from '../limits/guestGroups.ts';
import { networkOwner } from '../network/owner.ts';
import { endHelpers } from './endHelpers.ts';
import { guestProcesses } from './guestProcesses.ts';
import { ownLayout } from './leftRunning.ts';
import { type ShutdownOptions, shutDownGuests } from './shutDownGuests.ts';

/** How long the daemon and a QEMU that nobody knows may take to end on SIGTERM. */
const TERMINATION_TIMEOUT_MS = 10_000;
const POLL_MS = 25;

/**
 * Ends what an agent leaves behind, as the shutdown of a host does: the guests, then libvirtd and what serves guests, then their sockets. Only
 * for a home whose agent has ended, for it would start them again.
 */
export async function shutDownNode(
  home: string,
  { log = consoleLog, ...options }: ShutdownOptions & { readonly log?: Log } = {},
): Promise<void> {
  const layout = ownLayout(home);
  if ((await guestProcesses(layout)).length > 0) {
    try {
      await askLibvirt(layout, log, options);
    } catch (error) {
      // By force guests need nobody's help to end.
      if (!options.force) throw error;
      log.warn('libvirt cannot stop the guests; killing their processes', undefined, { error });
    }
  }
  await endAll(async () => {
    const pid = await daemonPid(layout);
    return pid === undefined ? [] : [pid];
  });
  // Whatever libvirt did not know of is nobody's.
  await endAll(async () => (await guestProcesses(layout)).map(({ pid }) => pid));
  await endHelpers(layout, log);
  new DeadMan(layout).stop();
  await (await GuestGroups.open(layout)).removeAll();
  if (layout.isRoot) await removeNetwork(networkOwner(home));
  else await new SessionNetwork(layout, log).end();
  await rm(layout.run, { recursive: true, force: true });
  // The place of all homes, where this was the last one.
  await rmdir(dirname(layout.run)).catch(() => {});
}

async function askLibvirt(layout: NodeLayout, log: Log, options: ShutdownOptions): Promise<void> {
  // It may have died; only with it can guests be asked to shut down.
  await new LibvirtdSupervisor(layout, log).ensureRunning();
  const libvirt = await connect({ socket: layout.libvirtSocket, uri: layout.uri });
  try {
    await shutDownGuests(libvirt, options);
  } finally {
    await libvirt.close();
  }
}

/** Ends processes by SIGTERM, and by SIGKILL those that do not care. */
async function endAll(find: () => Promise<readonly number[]>): Promise<void> {
  const startedAt = Date.now();
  for (const pid of await find()) kill(pid, 'SIGTERM');
  for (;;) {
    const left = await find();
    if (left.length === 0) return;
    if (Date.now() - startedAt > 2 * TERMINATION_TIMEOUT_MS)
      throw new Error(`processes do not exit: ${left.join(', ')}`);
    if (Date.now() - startedAt > TERMINATION_TIMEOUT_MS) for (const pid of left) kill(pid, 'SIGKILL');
    await delay(POLL_MS);
  }
}

function kill(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}
