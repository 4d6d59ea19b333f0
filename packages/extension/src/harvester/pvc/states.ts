import { conflict, type Persisted, type PersistentVolumeClaim, StorageClass } from '@vireo/api';
import { waitsForData } from '@vireo/api/kinds/cdi/populated.ts';
import { VirtualMachineInstance } from '@vireo/api/kinds/kubevirt/virtualMachineInstance.ts';
import { isFinal } from '@vireo/api/kinds/kubevirt/vmi.ts';
import { claimNameOf } from '@vireo/api/kinds/kubevirt/volume.ts';
import { compareQuantities } from '@vireo/api/quantity.ts';
import type { Client } from '@vireo/kube';
import type { Action } from '../../actions/action.ts';

export const LIST_VMIS: NonNullable<Action['needs']> = [
  { apiGroups: ['kubevirt.io'], resources: ['virtualmachineinstances'], verbs: ['list'] },
];

export const claimConflict = ({ metadata }: Persisted<PersistentVolumeClaim>, why: string) =>
  conflict({ group: '', resource: 'persistentvolumeclaims' }, metadata.name, why);

/** Whether the claim is larger than its volume: that is on its way, or cannot be had. */
export function isExpanding({ spec, status }: PersistentVolumeClaim): boolean {
  const wanted = spec?.resources?.requests?.storage;
  const has = status?.capacity?.storage;
  return wanted !== undefined && has !== undefined && compareQuantities(wanted, has) > 0;
}

/** Whether the claim has its volume and its data. */
export const isWhole = (claim: PersistentVolumeClaim): boolean =>
  claim.status?.phase === 'Bound' && !waitsForData(claim);

export function expectWhole(claim: Persisted<PersistentVolumeClaim>): void {
  if (claim.status?.phase !== 'Bound')
    throw claimConflict(claim, `it is ${claim.status?.phase ?? 'not bound'}; wait until it is Bound`);
  if (waitsForData(claim)) throw claimConflict(claim, 'its data is not ready yet; wait until the claim is filled');
}

/** A copy of what somebody writes to is of no moment that ever was. */
export async function expectUnused(
  client: Client,
  claim: Persisted<PersistentVolumeClaim>,
  instead: string,
): Promise<void> {
  const { name, namespace } = claim.metadata;
  const { items } = await client.of(VirtualMachineInstance).list({ namespace });
  const user = items.find((vmi) => !isFinal(vmi) && vmi.spec.volumes?.some((volume) => claimNameOf(volume) === name));
  if (user) throw claimConflict(claim, `the VM "${user.metadata.name}" uses it: ${instead}`);
}

/** A StorageClass by its name, which may have been misspelt. */
export const findStorageClass = async (client: Client, name: string): Promise<StorageClass | undefined> =>
  (await client.of(StorageClass).list()).items.find(({ metadata }) => metadata.name === name);
