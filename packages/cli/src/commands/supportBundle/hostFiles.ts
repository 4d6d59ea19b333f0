import { constants, createReadStream } from 'node:fs';
import { access, readdir, stat } from 'node:fs/promises';
import { arch, cpus, freemem, release, totalmem } from 'node:os';
import { basename, join } from 'node:path';
import type { ArchiveFile } from '@vireo/extension';
import { connect, type Version } from '@vireo/libvirt';
import { leftRunning, ownLayout } from '@vireo/node/shutdown/leftRunning.ts';
import { diskUseBytes } from '../../diskUse.ts';
import { logFile } from '../../logFile.ts';
import { readServerRecord } from '../../serverRecord.ts';
import { version } from '../../version.ts';

type Problems = (what: string) => void;

/** Of longer logs, only the end: that is where the trouble is. */
const MAX_BYTES = 8 << 20;
const CONNECT_MS = 5_000;

/** What a host knows of Vireo: versions, what runs, our logs and libvirt's, and the domains of the guests. */
export async function* hostFiles(home: string, problems: Problems): AsyncGenerator<ArchiveFile> {
  yield { name: 'host/state.json', data: Buffer.from(JSON.stringify(await stateOf(home), undefined, 2)) };
  const { libvirt, isRoot } = ownLayout(home);
  for (const path of [logFile(home), `${logFile(home)}.1`, join(libvirt, 'log/libvirtd.log')])
    yield* fileIfThere(path, `logs/${basename(path)}`, problems);
  const guests = join(libvirt, isRoot ? 'log/qemu' : 'cache/libvirt/qemu/log');
  for (const name of (await readdir(guests).catch(() => [])).sort())
    yield* fileIfThere(join(guests, name), `logs/guests/${name}`, problems);
  yield* domains(home, problems);
}

async function stateOf(home: string): Promise<object> {
  const { guests, libvirtdPid } = await leftRunning(home);
  return {
    vireo: version,
    node: process.versions.node,
    host: { kernel: release(), architecture: arch(), cpus: cpus().length, memory: totalmem(), free: freemem() },
    home,
    server: readServerRecord(home) ?? null,
    guests: guests.map(({ key }) => key).sort(),
    libvirtdPid: libvirtdPid ?? null,
    diskUse: await diskUseBytes(home),
  };
}

async function* fileIfThere(path: string, name: string, problems: Problems): AsyncGenerator<ArchiveFile> {
  try {
    const { size } = await stat(path);
    await access(path, constants.R_OK);
    yield { name, data: endOf(path, size, problems) };
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') problems(`${path}: ${(error as Error).message}`);
  }
}

/** The end of a file as it is now; whoever writes to it may go on. */
async function* endOf(path: string, size: number, problems: Problems): AsyncGenerator<Buffer> {
  if (size === 0) return;
  try {
    yield* createReadStream(path, { start: Math.max(0, size - MAX_BYTES), end: size - 1 });
  } catch (error) {
    problems(`${path}: ${(error as Error).message}`);
  }
}

/** The domains as libvirt knows them, which without being asked leaves passwords out. */
async function* domains(home: string, problems: Problems): AsyncGenerator<ArchiveFile> {
  const { libvirtSocket: socket, uri } = ownLayout(home);
  if ((await leftRunning(home)).libvirtdPid === undefined) return;
  try {
    const libvirt = await connect({ socket, uri, signal: AbortSignal.timeout(CONNECT_MS) });
    try {
      const [own, hypervisor] = await Promise.all([libvirt.version(), libvirt.hypervisorVersion()]);
      const versions = { libvirt: versionText(own), qemu: versionText(hypervisor) };
      yield { name: 'host/hypervisor.json', data: Buffer.from(JSON.stringify(versions, undefined, 2)) };
      for (const domain of await libvirt.listDomains())
        yield { name: `domains/${domain.name}.xml`, data: Buffer.from(await libvirt.domainXml(domain)) };
    } finally {
      await libvirt.close();
    }
  } catch (error) {
    problems(`libvirt: ${(error as Error).message}`);
  }
}

const versionText = ({ major, minor, release }: Version): string => `${major}.${minor}.${release}`;
