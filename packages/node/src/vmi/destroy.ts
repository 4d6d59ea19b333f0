import { isFinal } from '@vireo/api/kinds/kubevirt/vmi.ts';
import { isLibvirtError } from '@vireo/libvirt';
import type { NodeContext } from '../context.ts';
import type { LocalVmi } from './localVmi.ts';

/** libvirt waits for half a minute each time. After so many nobody else will end what holds the domain. */
const MAX_TIMEOUTS = 2;

/** Switches a guest off. */
export async function destroy(
  { vmi, domain, cache }: Pick<LocalVmi, 'vmi' | 'domain' | 'cache'>,
  context: Pick<NodeContext, 'libvirt' | 'domains' | 'recorder' | 'supervisor' | 'host'>,
): Promise<undefined> {
  if (!domain) return;
  const { libvirt, domains, recorder, supervisor, host } = context;
  // Where the guest runs on another node, only what a migration left here goes.
  const isHere = vmi && (vmi.status?.nodeName ?? host.name) === host.name;
  if (isHere && !isFinal(vmi)) recorder.event(vmi, 'Normal', 'Deleted', 'Signaled Deletion');
  try {
    await libvirt.long.destroyDomain(domain.ref);
  } catch (error) {
    if (isLibvirtError(error, 'OPERATION_TIMEOUT')) {
      cache.destroyTimeouts += 1;
      // It kills QEMU before it waits, so what holds the domain is in the daemon. If another one does not help, no third does.
      if (cache.destroyTimeouts === MAX_TIMEOUTS)
        await supervisor.replace(`cannot power off ${domain.ref.name}: ${error.message}`);
    }
    // It ended by itself in the meantime.
    if (!isLibvirtError(error, 'NO_DOMAIN', 'OPERATION_INVALID')) throw error;
  }
  await domains.refresh(domain.ref);
}
