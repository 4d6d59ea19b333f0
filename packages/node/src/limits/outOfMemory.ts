import { formatBytes } from '@vireo/api/quantity.ts';
import type { LocalVmi } from '../vmi/localVmi.ts';
import { readGroupFile } from './groupTree.ts';

/** Processes of a guest that the kernel has killed for want of memory. */
export interface OutOfMemory {
  readonly kills: number;
  /** Whether the guest's own limit was reached; if not, the host had no memory left. */
  readonly isOwnLimit: boolean;
  readonly limitBytes: number;
}

/** Why a VMI has failed, in one word: kubelet's. */
export const OOM_KILLED = 'OOMKilled';

/** What the memory files of a group tell. */
export async function readOutOfMemory(directory: string, version: 1 | 2): Promise<OutOfMemory | undefined> {
  const read = (name: string): Promise<string> => readGroupFile(directory, name);
  if (version === 2) return outOfMemoryV2(await read('memory.events'), await read('memory.max'));
  return outOfMemoryV1(
    await read('memory.oom_control'),
    [await read('memory.failcnt'), await read('memory.memsw.failcnt')],
    await read('memory.limit_in_bytes'),
  );
}

export const outOfMemoryV1 = (control: string, failures: readonly string[], limit: string): OutOfMemory | undefined =>
  report(
    counter(control, 'oom_kill'),
    failures.some((count) => Number(count) > 0),
    limit,
  );

export const outOfMemoryV2 = (events: string, limit: string): OutOfMemory | undefined =>
  report(counter(events, 'oom_kill'), counter(events, 'oom') > 0, limit);

const report = (kills: number, isOwnLimit: boolean, limit: string): OutOfMemory | undefined =>
  kills > 0 ? { kills, isOwnLimit, limitBytes: Number(limit) } : undefined;

const counter = (text: string, name: string): number =>
  Number(new RegExp(`^${name} (\\d+)$`, 'm').exec(text)?.[1] ?? 0);

/** In plain words, for the VMI. */
export const describeOutOfMemory = ({ isOwnLimit, limitBytes }: OutOfMemory): string =>
  isOwnLimit
    ? `QEMU needed more memory than its limit of ${formatBytes(limitBytes)}, and the kernel killed it (${OOM_KILLED})`
    : `the host ran out of memory, and the kernel killed QEMU (${OOM_KILLED})`;

/** Why a guest has ended, if it was for want of memory. One that was powered off had run until then. */
export async function endedForMemory(
  { uid, domain }: Pick<LocalVmi, 'uid' | 'domain'>,
  groups: { outOfMemory(uid: string): Promise<OutOfMemory | undefined> },
): Promise<string | undefined> {
  if (domain?.state.reason === 'destroyed') return undefined;
  const found = await groups.outOfMemory(uid);
  return found && describeOutOfMemory(found);
}
