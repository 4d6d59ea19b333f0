import { isFinal, type Vmi } from '@vireo/api/kinds/kubevirt/vmi.ts';
import { isLibvirtError } from '@vireo/libvirt';
import type { NodeContext } from '../context.ts';
import { isDomainActive, isElsewhere } from '../vmi/decide.ts';
import { domainKey, domainSubject } from '../vmi/domainInformer.ts';
import { readVmi } from './readVmi.ts';

/** Whether a guest must not run here: its VMI is gone, has been given up, or is another node's. */
export const isForeign = (vmi: Vmi | undefined, node: string): boolean =>
  vmi === undefined || isFinal(vmi) || isElsewhere(vmi, node);

/**
 * Ends the guests that are this node's no more, before the node says that it lives. While nobody heard of it, an
 * administrator may have declared its host off, and their VMs run elsewhere.
 */
export async function endForeignGuests({
  client,
  libvirt,
  domains,
  host,
  log,
  orphans,
}: Pick<NodeContext, 'client' | 'libvirt' | 'domains' | 'host' | 'log' | 'orphans'>): Promise<void> {
  for (const { ref, state } of domains.all()) {
    if (!isDomainActive(state)) continue;
    const vmi = await readVmi(client, domainKey(ref), ref.uuid);
    if (!isForeign(vmi, host.name) || (await orphans.has(ref.uuid))) continue;
    const why = vmi ? (isFinal(vmi) ? 'it was given up' : `it is on node ${vmi.status?.nodeName}`) : 'it is gone';
    log.warn('a guest is powered off, because its VMI is not this node’s any more', domainSubject(ref), { why });
    await libvirt.long.destroyDomain(ref).catch((error: unknown) => {
      // It ended by itself in the meantime.
      if (!isLibvirtError(error, 'NO_DOMAIN', 'OPERATION_INVALID')) throw error;
    });
    await domains.refresh(ref);
  }
}
