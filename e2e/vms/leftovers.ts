import { readdir, readFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { findNetwork, readTaps, removeNetwork } from '@vireo/network';
import { nodeLayout, runtimeDirectory } from '@vireo/node';
import { stateDirectory } from '@vireo/node/libvirtd/halfStarts.ts';
import { childGroups } from '@vireo/node/limits/groupTree.ts';
import { readHierarchies } from '@vireo/node/limits/hierarchies.ts';
import { UNIT_SLICE } from '@vireo/node/limits/systemd.ts';
import { networkOwner } from '@vireo/node/network/owner.ts';

/** Where the sockets of a home are. */
export const socketsOf = (home: string): string => runtimeDirectory(home, process.getuid?.() === 0);

/** A process and the words of its command line. */
export interface RunningProcess {
  readonly pid: number;
  readonly command: readonly string[];
}

/** The processes that have a word in their command line, such as the home that they work for. */
export async function processesWith(word: string): Promise<RunningProcess[]> {
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name));
  const all = await Promise.all(
    pids.map(async (pid) => ({
      pid: Number(pid),
      // Gone in the meantime, or a thread of the kernel: without words.
      command: (await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '')).split('\0'),
    })),
  );
  return all.filter(({ command }) => command.some((each) => each.includes(word)));
}

/** The QEMU processes of a home. */
export const guestsOf = async (home: string): Promise<RunningProcess[]> =>
  (await processesWith(home)).filter(({ command }) => command[0]?.includes('qemu-system'));

/** What VMs have on this host: processes, files, sockets, network devices and definitions. Empty when all is gone. */
export async function leftoversOf(home: string): Promise<Record<string, string[]>> {
  const list = async (directory: string, suffix = ''): Promise<string[]> =>
    (await readdir(directory).catch(() => [])).filter((name) => name.endsWith(suffix));
  const found = {
    guests: (await guestsOf(home)).map(({ pid }) => String(pid)),
    files: await list(join(home, 'machines')),
    sockets: await list(join(socketsOf(home), 'machines')),
    definitions: await list(join(home, 'libvirt/etc/qemu'), '.xml'),
    states: await list(stateDirectory(nodeLayout(home, process.getuid?.() === 0)), '.xml'),
    groups: await groupsOf(home),
    cards: await cardsOf(home),
  };
  return Object.fromEntries(Object.entries(found).filter(([, names]) => names.length > 0));
}

/** The network devices of a home's guests. */
async function cardsOf(home: string): Promise<string[]> {
  const network = await findNetwork(networkOwner(home)).catch(() => undefined);
  return network === undefined ? [] : readTaps(network);
}

/** Removes the network of a home: a server that ends leaves it to its guests. Its owner is known by the path of the home. */
export async function removeNetworkOf(home: string): Promise<void> {
  if (process.getuid?.() === 0) await removeNetwork(networkOwner(home));
}

/** The cgroups of a home's guests, with and without systemd. */
async function groupsOf(home: string): Promise<string[]> {
  const name = `vireo-${basename(socketsOf(home))}`;
  const parents = (await readHierarchies()).flatMap(({ mount }) => [
    join(mount, name),
    join(mount, UNIT_SLICE, `${name}.service`),
  ]);
  return (await Promise.all(parents.map(childGroups))).flat();
}

/** Ends a process that may be gone already. */
export function end(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}
