import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { NodeLayout } from '../libvirtd/layout.ts';

/** A QEMU process that runs a guest of this node. */
export interface GuestProcess {
  readonly pid: number;
  /** `namespace/name` of its VMI. */
  readonly key: string;
}

/** The process of one guest, by the file that libvirt writes, which may name another's by now. */
export async function guestPid(layout: NodeLayout, key: string): Promise<number | undefined> {
  const { isRoot, libvirt, run } = layout;
  const directory = isRoot ? join(libvirt, 'run/qemu') : join(run, 'libvirt/qemu/run');
  const written = await readFile(join(directory, `${key.replace('/', '_')}.pid`), 'utf8').catch(() => '');
  const pid = Number(written);
  return pid > 0 && (await guestOfProcess(pid, layout)) === key ? pid : undefined;
}

/** The guests that run on a node, as the kernel tells: asks neither the server nor libvirtd, which may be gone. */
export async function guestProcesses(layout: NodeLayout): Promise<GuestProcess[]> {
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name)).map(Number);
  const found = await Promise.all(
    pids.map(async (pid) => {
      const key = await guestOfProcess(pid, layout);
      return key === undefined ? [] : [{ pid, key }];
    }),
  );
  return found.flat();
}

async function guestOfProcess(pid: number, layout: NodeLayout): Promise<string | undefined> {
  const line = await readFile(`/proc/${pid}/cmdline`, 'latin1').catch(() => '');
  return guestOf(line.split('\0'), layout);
}

/** The VMI that a command line runs, where it is QEMU's and names files of this node. */
export function guestOf(words: readonly string[], { vmis, run }: Pick<NodeLayout, 'vmis' | 'run'>): string | undefined {
  if (!words[0]?.includes('qemu-system')) return undefined;
  if (!words.some((word) => word.includes(`${vmis}/`) || word.includes(`${run}/`))) return undefined;
  const name = /^guest=([^,]*)/.exec(words[words.indexOf('-name') + 1] ?? '')?.[1];
  return name?.replace('_', '/');
}

/** The uid of the VMI that a command line of QEMU runs. */
export const uidOf = (words: readonly string[]): string | undefined =>
  words.includes('-uuid') ? words[words.indexOf('-uuid') + 1] : undefined;
