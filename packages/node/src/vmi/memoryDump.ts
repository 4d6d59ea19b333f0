import { readdir, rename, rm, stat, statfs } from 'node:fs/promises';
import { join } from 'node:path';
import { timestamp } from '@vireo/api';
import { attachmentOf } from '@vireo/api/kinds/kubevirt/attachmentPod.ts';
import { memoryDumpBytes } from '@vireo/api/kinds/kubevirt/memoryDump.ts';
import type { Vmi, VmiStatus } from '@vireo/api/kinds/kubevirt/vmi.ts';
import type { Volume } from '@vireo/api/kinds/kubevirt/volume.ts';
import { formatBytes } from '@vireo/api/quantity.ts';
import { DumpFlags, isLibvirtError } from '@vireo/libvirt';
import type { NodeContext } from '../context.ts';
import { VolumeError } from '../disks/volumeError.ts';
import { waitForAttachment } from './attachmentWait.ts';
import type { Domain } from './domainInformer.ts';
import type { LocalVmi } from './localVmi.ts';

type VolumeStatus = NonNullable<VmiStatus['volumeStatus']>[number];
type DumpedVmi = Pick<LocalVmi, 'key' | 'cache' | 'attachments'> & {
  readonly vmi: Vmi;
  readonly domain: Domain;
};
type Context = Pick<NodeContext, 'libvirt' | 'volumes' | 'clock' | 'enqueue' | 'recorder'>;

/** A memory dump that this run of ours has begun. */
export interface MemoryDump {
  readonly claim: string;
  readonly fileName: string;
  readonly startedAtMs: number;
  endedAtMs?: number;
  /** What went wrong. */
  error?: string;
}

const SUFFIX = '.memory.dump';
/** Of one that is being written: what has the name of a dump is whole. */
const UNFINISHED = `${SUFFIX}.part`;

/** The volume that the memory of a guest is to be dumped to. */
export const dumpVolume = ({ spec }: Vmi): Volume | undefined => spec.volumes?.find(({ memoryDump }) => memoryDump);

/**
 * Writes the memory of a guest to the claim of its memory-dump volume, if it has one, and returns how far that is. It
 * goes on in the background; when it ends, the VMI is reconciled again.
 */
export async function syncMemoryDump(local: DumpedVmi, context: Context): Promise<VolumeStatus | undefined> {
  const { vmi, cache } = local;
  const volume = dumpVolume(vmi);
  const claim = volume?.memoryDump?.claimName;
  if (!volume || !claim) {
    if (cache.dump?.endedAtMs !== undefined) cache.dump = undefined;
    return undefined;
  }
  const reported = vmi.status?.volumeStatus?.find(({ name }) => name === volume.name);
  // Done by an earlier run.
  if (!cache.dump && ['MemoryDumpCompleted', 'MemoryDumpFailed'].includes(reported?.phase ?? '')) return reported;
  const { name } = volume;
  const pending = (message: string): VolumeStatus => ({
    name,
    target: '',
    phase: 'Pending',
    message,
    ...claimFields(claim),
  });
  if (!cache.dump && !attachmentOf(local.attachments, { volume: name, claim })) {
    const waits = waitForAttachment(local, name, claim, context);
    return waits === 'expected' ? reported : pending(waits.message);
  }
  cache.awaited.delete(name);
  try {
    cache.dump ??= await startDump(local, claim, context);
  } catch (error) {
    if (!(error instanceof VolumeError)) throw error;
    return pending(error.message);
  }
  return dumpStatus(volume.name, cache.dump);
}

const claimFields = (claimName: string) => ({
  persistentVolumeClaimInfo: { claimName },
  memoryDumpVolume: { claimName },
});

function dumpStatus(name: string, { claim, fileName, startedAtMs, endedAtMs, error }: MemoryDump): VolumeStatus {
  const phase =
    endedAtMs === undefined ? 'MemoryDumpInProgress' : error === undefined ? 'MemoryDumpCompleted' : 'MemoryDumpFailed';
  return {
    name,
    target: '',
    phase,
    ...(error !== undefined && { message: error }),
    persistentVolumeClaimInfo: { claimName: claim },
    memoryDumpVolume: {
      claimName: claim,
      targetFileName: fileName,
      startTimestamp: timestamp(new Date(startedAtMs)),
      ...(endedAtMs !== undefined && { endTimestamp: timestamp(new Date(endedAtMs)) }),
    },
  };
}

async function startDump(local: DumpedVmi, claim: string, context: Context): Promise<MemoryDump> {
  const { vmi, cache, key } = local;
  const { clock } = context;
  const directory = await context.volumes.claimDirectory(vmi, claim);
  const startedAtMs = clock.now();
  const dump: MemoryDump = { claim, startedAtMs, fileName: dumpFileName(vmi.metadata.name, claim, startedAtMs) };
  writeDump(local, directory, dump.fileName, context)
    .then(
      () => undefined,
      (error: unknown) => {
        // An earlier run's dump is still being written, and holds this one up: it is tried again.
        if (isLibvirtError(error, 'OPERATION_TIMEOUT')) cache.dump = undefined;
        dump.error = error instanceof Error ? error.message : String(error);
      },
    )
    .then(() => {
      dump.endedAtMs = clock.now();
      if (dump.error !== undefined && cache.dump === dump)
        context.recorder.event(vmi, 'Warning', 'MemoryDumpFailed', `Memory dump to ${claim} failed: ${dump.error}`);
      context.enqueue(key);
    });
  return dump;
}

/** A claim holds one dump: the one before makes room first. */
async function writeDump(
  { vmi, domain }: DumpedVmi,
  directory: string,
  fileName: string,
  { libvirt }: Context,
): Promise<void> {
  await expectOwn(directory);
  for (const name of await readdir(directory))
    if (name.endsWith(SUFFIX) || name.endsWith(UNFINISHED)) await rm(join(directory, name));
  await expectRoom(vmi, directory);
  const unfinished = join(directory, `${fileName.slice(0, -SUFFIX.length)}${UNFINISHED}`);
  try {
    await libvirt.long.coreDump(domain.ref, unfinished, { flags: DumpFlags.MEMORY_ONLY });
    await rename(unfinished, join(directory, fileName));
  } catch (error) {
    await rm(unfinished, { force: true });
    throw error;
  }
}

/** libvirtd writes where a name leads: who can put links there, such as a guest that shares the directory, chooses where. */
async function expectOwn(directory: string): Promise<void> {
  const { uid, mode } = await stat(directory);
  if (uid === (process.getuid?.() ?? uid) && (mode & 0o022) === 0) return;
  throw new Error(`${directory} can be changed by other users: dump to a claim whose directory is root's alone`);
}

async function expectRoom(vmi: Vmi, directory: string): Promise<void> {
  const wanted = memoryDumpBytes(vmi);
  const { bavail, bsize } = await statfs(directory);
  if (wanted <= bavail * bsize) return;
  throw new Error(`not enough space on the node: ${formatBytes(wanted)} needed, ${formatBytes(bavail * bsize)} free`);
}

/** `web-dumps-20260102-150405.memory.dump`, in UTC. */
export function dumpFileName(vm: string, claim: string, atMs: number): string {
  const [date = '', time = ''] = new Date(atMs).toISOString().replaceAll(/[-:]/g, '').split(/[T.]/);
  return `${vm}-${claim}-${date}-${time}${SUFFIX}`;
}
