import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { connect } from '@vireo/libvirt';
import type { NodeLayout } from '@vireo/node';

const POLL_MS = 20;

/** Ends a node's daemon and everything that runs on it, and removes its sockets. */
export async function endDaemon(layout: NodeLayout): Promise<void> {
  await destroyAll(layout);
  const pid = Number(await readFile(join(layout.libvirt, 'libvirtd.pid'), 'utf8').catch(() => '0'));
  if (pid > 0) {
    if (isAlive(pid)) process.kill(pid, 'SIGTERM');
    while (isAlive(pid)) await sleep(POLL_MS);
  }
  await rm(layout.run, { recursive: true, force: true });
}

/** Destroys every guest of a daemon; there may be no daemon any more. */
export async function destroyAll({ libvirtSocket, uri }: NodeLayout): Promise<void> {
  const libvirt = await connect({ socket: libvirtSocket, uri }).catch(() => undefined);
  if (!libvirt) return;
  const domains = await libvirt.listDomains();
  // One that has ended by itself, or was only defined, is as good as destroyed.
  await Promise.all(domains.map((domain) => libvirt.destroyDomain(domain).catch(() => {})));
  await libvirt.close();
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}
