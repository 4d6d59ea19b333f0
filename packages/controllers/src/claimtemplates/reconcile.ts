import { isDeleting, isReason, PersistentVolumeClaim, type StorageClass } from '@vireo/api';
import { VOLUME_CLAIM_TEMPLATES } from '@vireo/api/kinds/harvester/names.ts';
import type { Vm } from '@vireo/api/kinds/kubevirt/vm.ts';
import { type Client, ignoreAlreadyExists, isNamespaceTerminating } from '@vireo/kube';
import { BadTemplates, claimTemplates } from './templates.ts';

/** Makes the claims that are not there. The result is what the VM's owner has to mend. */
export async function reconcileClaimTemplates(
  vm: Vm,
  classes: readonly StorageClass[],
  isThere: (claim: Pick<PersistentVolumeClaim, 'metadata'>) => boolean,
  client: Client,
): Promise<string | undefined> {
  if (!vm.metadata.annotations?.[VOLUME_CLAIM_TEMPLATES] || isDeleting(vm)) return undefined;
  try {
    for (const draft of claimTemplates(vm, classes))
      if (!isThere(draft)) await client.of(PersistentVolumeClaim).create(draft).catch(ignoreAlreadyExists);
  } catch (error) {
    if (isNamespaceTerminating(error)) return undefined;
    if (error instanceof BadTemplates || isReason(error, 'Invalid', 'Forbidden', 'BadRequest')) return error.message;
    throw error;
  }
  return undefined;
}
