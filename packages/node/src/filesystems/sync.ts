import { lstat } from 'node:fs/promises';
import { join } from 'node:path';
import type { VmiCondition } from '@vireo/api/kinds/kubevirt/vmi.ts';
import { sharedVolumes } from '@vireo/api/kinds/kubevirt/vmi.ts';
import { isConfigVolume, type Volume } from '@vireo/api/kinds/kubevirt/volume.ts';
import type { NodeContext } from '../context.ts';
import type { RunningVmi } from '../vmi/localVmi.ts';
import { boundLog, livingDaemons } from './daemons.ts';
import { shareContext } from './ofVmi.ts';
import { writeConfig } from './shares.ts';

/** How often ConfigMaps and their like are read again, and daemons that are not our children are looked for. */
export const FILESYSTEMS_MS = 60_000;
/** A token is replaced long before it expires. */
const TOKEN_MS = 24 * 3_600_000;

/** What the agent remembers of the filesystems of a VMI. */
export interface FilesystemsCache {
  refreshedAtMs: number;
  /** What kept a volume from being refreshed, by its name: told once. */
  readonly problems: Map<string, string>;
  /** Filesystems whose loss was told. */
  readonly lost: Set<string>;
}

/** Brings the directories of ConfigMaps and their like up to date, and looks whether all filesystems are served. */
export async function syncFilesystems(
  local: RunningVmi,
  context: NodeContext,
): Promise<Omit<VmiCondition, 'type'> | undefined> {
  const { vmi, domain, files, cache } = local;
  cache.filesystems ??= { refreshedAtMs: context.clock.now(), problems: new Map(), lost: new Set() };
  const known = cache.filesystems;
  if (context.clock.now() - known.refreshedAtMs >= FILESYSTEMS_MS) {
    known.refreshedAtMs = context.clock.now();
    await boundLog(files.directory);
    for (const volume of sharedVolumes(vmi).filter(isConfigVolume)) await refresh(volume, local, known, context);
  }
  const served = new Set((await livingDaemons(files.directory)).map(({ name }) => name));
  const lost = (domain.view.filesystems ?? []).filter((name) => !served.has(name));
  for (const name of lost) if (!known.lost.has(name)) context.recorder.event(vmi, 'Warning', LOST, lossOf([name]));
  known.lost.clear();
  for (const name of lost) known.lost.add(name);
  return filesystemsCondition(lost);
}

const LOST = 'VirtiofsdExited';

/** Whether the guest can use its filesystems. */
export const filesystemsCondition = (lost: readonly string[]): Omit<VmiCondition, 'type'> =>
  lost.length === 0 ? { status: 'True' } : { status: 'False', reason: LOST, message: lossOf(lost) };

/** QEMU does not connect again, so whatever the guest has asked for never comes. */
const lossOf = (names: readonly string[]): string =>
  `virtiofsd of ${names.length === 1 ? 'filesystem' : 'filesystems'} ${names.map((name) => JSON.stringify(name)).join(', ')} ` +
  'has exited: programs in the guest that use it hang; restart the VM to get it back';

async function refresh(
  volume: Volume,
  local: RunningVmi,
  known: FilesystemsCache,
  context: NodeContext,
): Promise<void> {
  const { vmi, files } = local;
  if (volume.serviceAccount && !(await isOld(join(files.directory, 'filesystems', volume.name, '..data'), context)))
    return;
  try {
    await writeConfig(vmi, volume, await shareContext(vmi, local, context));
    known.problems.delete(volume.name);
  } catch (error) {
    // The guest keeps what it has, as pods do.
    const { message } = error as Error;
    if (known.problems.get(volume.name) === message) return;
    known.problems.set(volume.name, message);
    context.recorder.event(vmi, 'Warning', 'FailedRefresh', message);
  }
}

const isOld = async (path: string, { clock }: NodeContext): Promise<boolean> => {
  const found = await lstat(path).catch(() => undefined);
  return found === undefined || clock.now() - found.mtimeMs >= TOKEN_MS;
};
