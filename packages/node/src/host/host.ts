import { hash } from 'node:crypto';
import { readFile, statfs } from 'node:fs/promises';
import { cpus, hostname, networkInterfaces, release, totalmem } from 'node:os';
import { type HugePages, readHugePages } from './hugePages.ts';

/** What this host offers. */
export interface Host {
  /** The node's name. */
  readonly name: string;
  /** Kubernetes' word. */
  readonly architecture: 'amd64' | 'arm64';
  readonly cpus: number;
  readonly memoryBytes: number;
  readonly diskBytes: number;
  readonly address: string;
  readonly kernel: string;
  readonly osImage: string;
  readonly machineId: string;
  /** Those under which it has reported before. */
  readonly formerMachineIds?: readonly string[];
  readonly bootId: string;
  /** Bytes of huge pages, by resource. */
  readonly hugePages?: HugePages;
}

/** The name of this host's node, where nobody gives it another. */
export const hostName = (): string => hostname().toLowerCase();

export async function readHost(home: string): Promise<Host> {
  const { blocks, bsize } = await statfs(home);
  return {
    name: hostName(),
    architecture: process.arch === 'arm64' ? 'arm64' : 'amd64',
    cpus: cpus().length,
    memoryBytes: totalmem(),
    diskBytes: Number(blocks) * Number(bsize),
    address: hostAddress(),
    kernel: release(),
    osImage: prettyName(await readText('/etc/os-release')),
    machineId: await readMachineId(),
    bootId: (await readText('/proc/sys/kernel/random/boot_id')).trim(),
    hugePages: await readHugePages(),
  };
}

/** The same at each start, and for all nodes of this host. A container may have no such file, but has a name. */
async function readMachineId(): Promise<string> {
  for (const path of ['/etc/machine-id', '/var/lib/dbus/machine-id']) {
    const id = (await readText(path)).trim();
    if (id !== '') return id;
  }
  return hash('sha256', `vireo host ${hostname()}`).slice(0, 32);
}

const readText = (path: string): Promise<string> => readFile(path, 'utf8').catch(() => '');

const prettyName = (osRelease: string): string => /^PRETTY_NAME="?([^"\n]*)/m.exec(osRelease)?.[1] ?? 'Linux';

function hostAddress(): string {
  const addresses = Object.values(networkInterfaces()).flatMap((list) => list ?? []);
  return addresses.find(({ family, internal }) => family === 'IPv4' && !internal)?.address ?? '127.0.0.1';
}
