import { readFile } from 'node:fs/promises';

/** What the kernel tells of the rights of a process. */
export interface ProcessRights {
  /** Real, effective, saved, and for files. */
  readonly uids: readonly number[];
  readonly gids: readonly number[];
  readonly groups: readonly number[];
  /** Bits; 0 for none. */
  readonly permitted: bigint;
  readonly effective: bigint;
  readonly noNewPrivileges: boolean;
  /** Whether a filter decides which system calls it may make. */
  readonly hasSeccompFilter: boolean;
}

/** Reads `/proc/PID/status`. */
export async function processRights(pid: number): Promise<ProcessRights> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8');
  const field = (name: string): string => new RegExp(`^${name}:\\s*(.*)$`, 'm').exec(status)?.[1]?.trim() ?? '';
  const numbers = (name: string): number[] => field(name).split(/\s+/).filter(Boolean).map(Number);
  return {
    uids: numbers('Uid'),
    gids: numbers('Gid'),
    groups: numbers('Groups'),
    permitted: BigInt(`0x${field('CapPrm')}`),
    effective: BigInt(`0x${field('CapEff')}`),
    noNewPrivileges: field('NoNewPrivs') === '1',
    hasSeccompFilter: field('Seccomp') === '2',
  };
}
