import { conflict, PersistentVolumeClaim } from '@vireo/api';
import { VirtualMachine } from '@vireo/api/kinds/kubevirt/virtualMachine.ts';
import { type Client, ignoreNotFound } from '@vireo/kube';
import { pvcVolumes } from '../vm/claims.ts';
import { claimUsers } from '../vm/disc.ts';
import type { ObjectRoute } from './paths.ts';

interface Claim {
  readonly namespace: string;
  readonly name: string;
}

/** The claims of those disks of a VM that are to go with it: `DELETE …?removedDisks=data&removedDisks=logs`. */
export async function claimsOfDisks(
  client: Client,
  { type, namespace = '', name }: ObjectRoute,
  disks: readonly string[],
): Promise<Claim[]> {
  if (type.kind.kind !== VirtualMachine.kind) return [];
  const vm = await client.of(VirtualMachine).get(name, { namespace });
  return pvcVolumes(vm)
    .filter((volume) => disks.includes(volume.name))
    .map(({ claimName }) => ({ namespace, name: claimName }));
}

/** Refuses, before anything is done, where the user may not delete one of the claims, or another VM has it. */
export async function expectDeletable(
  user: Client,
  own: Client,
  { namespace = '', name: vm }: ObjectRoute,
  claims: readonly Claim[],
): Promise<void> {
  if (claims.length === 0) return;
  await deleteClaims(user, claims, { dryRun: true });
  const others = await claimUsers(own, namespace, { except: vm });
  for (const { name } of claims) {
    const other = others.get(name);
    if (other !== undefined)
      throw conflict(
        { group: '', resource: 'persistentvolumeclaims' },
        name,
        `the VM "${other}" also uses it; delete the VM without this disk`,
      );
  }
}

/** Deletes claims as whoever asked; they are gone once nothing uses them any more. */
export async function deleteClaims(
  client: Client,
  claims: readonly Claim[],
  { dryRun = false }: { readonly dryRun?: boolean } = {},
): Promise<void> {
  for (const { namespace, name } of claims)
    await client.of(PersistentVolumeClaim).delete(name, { namespace, dryRun }).catch(ignoreNotFound);
}
