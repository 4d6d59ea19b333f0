import { readdir, readFile } from 'node:fs/promises';
import type { NodeLayout } from '../libvirtd/layout.ts';

/** A QEMU process that runs a guest of this node. */
export interface GuestProcess {
  readonly pid: number;
  /** `namespace/name` of its VMI. */
  readonly key: string;
}

/** The guests that run on a node, as the kernel tells: asks neither the server nor libvirtd, which may be gone. */
export async function guestProcesses(layout: NodeLayout): Promise<GuestProcess[]> {
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name)).map(Number);
  const found = await Promise.all(
    pids.map(async (pid) => {
      const line = await readFile(`/proc/${pid}/cmdline`, 'latin1').catch(() => '');
      const key = guestOf(line.split('\0'), layout);
      return key === undefined ? [] : [{ pid, key }];
    }),
  );
  return found.flat();
}

/** The VMI that a command line runs, where it is QEMU's and names files of this node. */
export function guestOf(words: readonly string[], { vmis, run }: NodeLayout): string | undefined {
  if (!words[0]?.includes('qemu-system')) return undefined;
  if (!words.some((word) => word.includes(`${vmis}/`) || word.includes(`${run}/`))) return undefined;
  const name = /^guest=([^,]*)/.exec(words[words.indexOf('-name') + 1] ?? '')?.[1];
  return name?.replace('_', '/');
}
