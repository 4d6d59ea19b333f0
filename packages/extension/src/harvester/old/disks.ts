import { isReason, PersistentVolumeClaim } from '@vireo/api';
import { VirtualMachine } from '@vireo/api/kinds/kubevirt/virtualMachine.ts';
import type { Client } from '@vireo/kube';
import { claimVolumes } from '../vm/claims.ts';
import type { ObjectRoute } from './paths.ts';

interface Claim {
  readonly namespace: string;
  readonly name: string;
}

/** The claims of those disks of a machine that are to go with it: `DELETE …?removedDisks=data&removedDisks=logs`. */
export async function claimsOfDisks(
  client: Client,
  { type, namespace = '', name }: ObjectRoute,
  disks: readonly string[],
): Promise<Claim[]> {
  if (type.kind.kind !== VirtualMachine.kind) return [];
  const vm = await client.of(VirtualMachine).get(name, { namespace });
  return claimVolumes(vm)
    .filter((volume) => disks.includes(volume.name))
    .map(({ claimName }) => ({ namespace, name: claimName }));
}

/** Deletes claims as whoever asked; they are gone once nothing uses them any more. */
export async function deleteClaims(client: Client, claims: readonly Claim[]): Promise<void> {
  for (const { namespace, name } of claims)
    await client
      .of(PersistentVolumeClaim)
      .delete(name, { namespace })
      .catch((error: unknown) => {
        if (!isReason(error, 'NotFound')) throw error;
      });
}
