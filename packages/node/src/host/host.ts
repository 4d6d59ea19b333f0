import { randomUUID } from 'node:crypto';
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
    machineId: (await readText('/etc/machine-id')).trim() || randomUUID().replaceAll('-', ''),
    bootId: (await readText('/proc/sys/kernel/random/boot_id')).trim(),
    hugePages: await readHugePages(),
  };
}

const readText = (path: string): Promise<string> => readFile(path, 'utf8').catch(() => '');

const prettyName = (osRelease: string): string => /^PRETTY_NAME="?([^"\n]*)/m.exec(osRelease)?.[1] ?? 'Linux';

function hostAddress(): string {
  const addresses = Object.values(networkInterfaces()).flatMap((list) => list ?? []);
  return addresses.find(({ family, internal }) => family === 'IPv4' && !internal)?.address ?? '127.0.0.1';
}
