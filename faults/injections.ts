import { open, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { openStream } from '@vireo/cli/commands/vms/http1.ts';
import { end, guestsOf } from '../e2e/vms/leftovers.ts';
import type { Ledger } from './ledger.ts';
import { NETWORK_FAULTS } from './network/faults.ts';
import { NAMESPACE } from './objects.ts';
import type { FaultInjection } from './plan.ts';
import type { TestBed } from './testBed.ts';

type Inject = (testBed: TestBed, injection: FaultInjection, ledger: Ledger) => Promise<void>;

const BALLAST = Buffer.alloc(1 << 20, 0x55);
const CONSOLES = 4;

/** What goes wrong on a host with guests. */
export const FAULTS: Readonly<Record<string, Inject>> = {
  /** Our process dies, and somebody starts it again. */
  killServer: async (testBed, { forMs }) => {
    await testBed.kill();
    await delay(forMs);
    await testBed.ensure();
  },
  killLibvirtd: async (testBed) => signal(await testBed.libvirtdPid(), 'SIGKILL'),
  killGuest: async (testBed, { dice }) => signal(await anyGuest(testBed, dice), 'SIGKILL'),
  stopServer: (testBed, { forMs }) => stopProcess(testBed.serverPid, forMs),
  stopLibvirtd: async (testBed, { forMs }) => stopProcess(await testBed.libvirtdPid(), forMs),
  stopGuest: async (testBed, { dice, forMs }) => stopProcess(await anyGuest(testBed, dice), forMs),
  /** Only where the home has a file system of its own. */
  fillDisk: (testBed, { forMs }) => fillDisk(join(testBed.home, 'ballast'), forMs),
  /** The network of consoles and watches breaks; whoever watches comes again. */
  cutConnections: async (testBed, { forMs }, ledger) => {
    const names = ledger.names().filter((name) => ledger.get(name).runs);
    const opened = names.slice(0, CONSOLES).map(async (name) => {
      const path = `/apis/subresources.kubevirt.io/v1/namespaces/${NAMESPACE}/virtualmachineinstances/${name}/console`;
      // One that does not run has none; the cut may come before the answer.
      const socket = await openStream(await testBed.wireTarget(), path).catch(() => undefined);
      socket?.on('error', () => {}).resume();
    });
    await delay(forMs);
    testBed.wire.cut();
    await Promise.all(opened);
  },
  ...NETWORK_FAULTS,
};

/** Those that need no libvirt and no guests. */
export const STUB_FAULTS = ['killServer', 'stopServer', 'fillDisk', 'cutConnections'];

async function anyGuest({ home }: TestBed, dice: number): Promise<number> {
  const guests = await guestsOf(home);
  return guests[Math.floor(dice * guests.length)]?.pid ?? 0;
}

async function stopProcess(pid: number, forMs: number): Promise<void> {
  signal(pid, 'SIGSTOP');
  await delay(forMs);
  signal(pid, 'SIGCONT');
}

async function fillDisk(path: string, forMs: number): Promise<void> {
  const file = await open(path, 'w');
  try {
    for (;;) await file.write(BALLAST);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error;
    await delay(forMs);
  } finally {
    await file.close();
    await rm(path, { force: true });
  }
}

/** There may be no such process just now: then there is nothing to hit. */
function signal(pid: number, name: NodeJS.Signals): void {
  if (pid > 0) end(pid, name);
}
