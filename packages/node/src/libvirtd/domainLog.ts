import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { NodeLayout } from './layout.ts';

/** Keys come from owners of pods, too, which anybody may have written: nothing but a name may become a path. */
const KEY = /^[a-z0-9.-]+\/[a-z0-9.-]+$/;

/** Where libvirt notes how it started the domain of an instance, and what QEMU said; undefined for no proper key. */
export function domainLog({ isRoot, libvirt }: NodeLayout, key: string): string | undefined {
  if (!KEY.test(key)) return undefined;
  return join(libvirt, isRoot ? 'log/qemu' : 'cache/libvirt/qemu/log', `${key.replace('/', '_')}.log`);
}

/** libvirt leaves it behind for ever. */
export async function removeDomainLog(layout: NodeLayout, key: string): Promise<void> {
  const path = domainLog(layout, key);
  if (path) await rm(path, { force: true });
}
