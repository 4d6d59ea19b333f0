import { readdirSync, readFileSync, statSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { ControllerRevision, Event, Pod, Secret } from '@vireo/api';
import { VirtualMachine } from '@vireo/api/kinds/kubevirt/virtualMachine.ts';
import { VirtualMachineInstance } from '@vireo/api/kinds/kubevirt/virtualMachineInstance.ts';
import { connect } from '@vireo/libvirt';
import { residentBytes } from '../processes.ts';
import { NAMESPACE } from '../vms/objects.ts';
import type { VireoWithVms } from '../vms/vireo.ts';

/** Everything that could be left behind, at a moment when no VM is there. */
export interface Sample {
  /** VMs that have come and gone so far. */
  readonly cycles: number;
  /** What our process has in use after collecting its garbage. */
  readonly usedBytes: number;
  readonly residentBytes: number;
  readonly descriptors: number;
  readonly threads: number;
  readonly libvirtdBytes: number;
  readonly libvirtdDescriptors: number;
  /** Processes that know the home's path, besides ours and the daemon: guests and their helpers. */
  readonly processes: number;
  readonly domains: number;
  /** Sockets and directories of VMs. */
  readonly sockets: number;
  /** Files below the home, without the store's. */
  readonly files: number;
  readonly fileBytes: number;
  readonly storeBytes: number;
  /** Objects in the VMs' namespace, without events. */
  readonly objects: number;
}

const KINDS = [Pod, ControllerRevision, Secret, VirtualMachine, VirtualMachineInstance];

/** Takes stock. Events live for an hour, so they are removed first: they would look like a leak. */
export async function takeSample(vireo: VireoWithVms, home: string, cycles: number): Promise<Sample> {
  const { client, layout, pid } = vireo;
  await client.of(Event).deleteCollection({ namespace: NAMESPACE });
  const daemon = Number(readFileSync(join(layout.libvirt, 'libvirtd.pid'), 'utf8'));
  const usedBytes = await vireo.collectGarbage();
  const files = await filesBelow(home);
  const isStore = (path: string): boolean => path.startsWith(join(home, 'store.db'));
  const sizes = (paths: readonly string[]): number =>
    paths.reduce((sum, path) => sum + (statSync(path, { throwIfNoEntry: false })?.blocks ?? 0) * 512, 0);
  const others = files.filter((path) => !isStore(path));
  const lists = await Promise.all(KINDS.map((kind) => client.of(kind as typeof Pod).list({ namespace: NAMESPACE })));
  const libvirt = await connect({ socket: layout.libvirtSocket, uri: layout.uri });
  const domains = (await libvirt.listDomains()).length;
  await libvirt.close();
  return {
    cycles,
    usedBytes,
    residentBytes: residentBytes(pid),
    descriptors: descriptorsOf(pid),
    threads: readdirSync(`/proc/${pid}/task`).length,
    libvirtdBytes: residentBytes(daemon),
    libvirtdDescriptors: descriptorsOf(daemon),
    processes: processesWith(home).filter((each) => each !== pid && each !== daemon).length,
    domains,
    sockets: (await readdir(join(layout.run, 'machines'), { recursive: true }).catch(() => [])).length,
    files: others.length,
    fileBytes: sizes(others),
    storeBytes: sizes(files.filter(isStore)),
    objects: lists.reduce((sum, { items }) => sum + items.length, 0),
  };
}

/** Files and sockets that a process has open. */
export const descriptorsOf = (pid: number): number => readdirSync(`/proc/${pid}/fd`).length;

async function filesBelow(directory: string): Promise<string[]> {
  const entries = await readdir(directory, { recursive: true, withFileTypes: true });
  return entries.map(({ parentPath, name }) => join(parentPath, name));
}

/** Processes whose command line names the path; those that wait to be collected have none. */
function processesWith(path: string): number[] {
  const pids = readdirSync('/proc').filter((name) => /^\d+$/.test(name));
  return pids.filter((pid) => commandLine(pid).includes(path)).map(Number);
}

function commandLine(pid: string): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8');
  } catch {
    return '';
  }
}
