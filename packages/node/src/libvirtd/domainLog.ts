import { rm } from 'node:fs/promises';
import { basename, join } from 'node:path';
import type { NodeLayout } from './layout.ts';

/** Below the daemon's directory: where the emulators of TPMs write, for root. */
export const TPM_LOGS = 'swtpm-log';

/** Keys come from owners of pods, too, which anybody may have written: nothing but a name may become a path. */
const KEY = /^[a-z0-9.-]+\/[a-z0-9.-]+$/;

/** Where libvirt notes how it started the domain of a VMI, and what QEMU said; undefined for no proper key. */
export function domainLog({ isRoot, libvirt }: NodeLayout, key: string): string | undefined {
  if (!KEY.test(key)) return undefined;
  return join(libvirt, isRoot ? 'log/qemu' : 'cache/libvirt/qemu/log', `${key.replace('/', '_')}.log`);
}

/** libvirt leaves it behind for ever, and that of the VM's TPM. */
export async function removeDomainLog(layout: NodeLayout, key: string): Promise<void> {
  const path = domainLog(layout, key);
  if (!path) return;
  await rm(path, { force: true });
  const ofTpm = basename(path, '.log');
  await rm(join(layout.libvirt, TPM_LOGS, 'libvirt/qemu', `${ofTpm}-swtpm.log`), { force: true });
}
