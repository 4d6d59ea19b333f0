import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { NodeLayout } from './layout.ts';

/** The process of the node's libvirtd, told by its command line: the number in its file may be another's by now. */
export async function daemonPid({ libvirt }: NodeLayout): Promise<number | undefined> {
  const file = join(libvirt, 'libvirtd.pid');
  try {
    const pid = Number(await readFile(file, 'utf8'));
    return (await readFile(`/proc/${pid}/cmdline`, 'utf8')).includes(file) ? pid : undefined;
  } catch {
    return undefined;
  }
}
