import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { HostCapabilities } from '@vireo/hypervisor';
import type { Log } from '@vireo/kube';
import { connect } from '@vireo/libvirt';
import { readCapabilities } from '../host/capabilities.ts';
import type { Host } from '../host/host.ts';
import { startHypervisor } from '../libvirtd/hypervisor.ts';
import { shutDownNode } from '../shutdown/shutDownNode.ts';

/** Asks a libvirtd of its own, which ends again: beside a kubelet there are no guests for it to look after. */
export async function hostCapabilities(
  host: Pick<Host, 'architecture'>,
  virtType: string,
  log: Log,
): Promise<HostCapabilities> {
  const home = await mkdtemp(join(tmpdir(), 'vireo-labels-'));
  try {
    const { layout } = await startHypervisor(home, log);
    const libvirt = await connect({ socket: layout.libvirtSocket, uri: layout.uri });
    try {
      return await readCapabilities(libvirt, host, virtType);
    } finally {
      await libvirt.close();
    }
  } finally {
    await shutDownNode(home, { log });
    await rm(home, { recursive: true, force: true });
  }
}
