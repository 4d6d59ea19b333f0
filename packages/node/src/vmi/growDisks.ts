import type { Vmi } from '@vireo/api/kinds/kubevirt/vmi.ts';
import { claimNameOf } from '@vireo/api/kinds/kubevirt/volume.ts';
import { isLibvirtError } from '@vireo/libvirt';
import type { NodeContext } from '../context.ts';
import { canChangeDisks } from './decide.ts';
import type { RunningVmi } from './localVmi.ts';

/** How large the disks of a VMI are that are on claims of ours, by volume. */
export const claimSizes = (
  { metadata, spec }: Vmi,
  { volumes }: Pick<NodeContext, 'volumes'>,
): ReadonlyMap<string, number> =>
  new Map(
    (spec.volumes ?? []).flatMap((volume) => {
      const claim = claimNameOf(volume);
      const bytes = claim && volumes.sizeOf(`${metadata.namespace}/${claim}`);
      return bytes ? [[volume.name, bytes] as const] : [];
    }),
  );

/**
 * Tells a running guest of disks that have become larger. Whoever makes them so tells their guests of it; but a guest may
 * be on another node, on its way to one, or its agent may have been away.
 */
export async function growDisks(local: RunningVmi, context: Pick<NodeContext, 'volumes' | 'libvirt'>): Promise<void> {
  const { vmi, domain, cache } = local;
  const { calls } = context.libvirt;
  if (!canChangeDisks(domain.state)) return;
  for (const [volume, bytes] of claimSizes(vmi, context)) {
    const target = domain.view.diskTargets[volume];
    if (!target || cache.diskBytes.get(volume) === bytes) continue;
    // Its guest has come to a larger claim, of which it sees all after its next start.
    if (domain.view.slicedDisks && Object.hasOwn(domain.view.slicedDisks, volume)) continue;
    try {
      const { capacityBytes } = await calls.blockInfo(domain.ref, target);
      if (capacityBytes < bytes) await calls.resizeBlock(domain.ref, target, bytes);
      cache.diskBytes.set(volume, bytes);
    } catch (error) {
      // The guest or the disk goes; or libvirt is busy, and it is done the next time.
      const isPassing = ['OPERATION_INVALID', 'NO_DOMAIN', 'OPERATION_TIMEOUT', 'INVALID_ARG'] as const;
      if (!isPassing.some((code) => isLibvirtError(error, code))) throw error;
    }
  }
}
