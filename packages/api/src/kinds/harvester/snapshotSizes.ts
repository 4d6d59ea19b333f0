import { toBytes } from '../../quantity.ts';
import type { PersistentVolumeClaim } from '../core/persistentVolumeClaim.ts';
import type { VirtualMachine } from '../kubevirt/virtualMachine.ts';
import { writtenClaimNameOf } from '../kubevirt/volume.ts';
import { SOURCE_VM_NAME } from '../snapshot/names.ts';
import type { VolumeSnapshot } from '../volumesnapshot/volumeSnapshot.ts';

/** Finds a claim of the namespace by its name. */
export type FindClaim = (name: string) => PersistentVolumeClaim | undefined;

/** How much snapshots take, in bytes. */
export interface SnapshotSizes {
  readonly namespace: number;
  /** By name. */
  readonly vms: ReadonlyMap<string, number>;
}

/**
 * What the snapshots of a namespace take: each as much as it can be restored to, whatever it shares with its volume. A
 * snapshot of a claim counts for every VM that has the claim.
 */
export function snapshotSizes(
  snapshots: readonly VolumeSnapshot[],
  vms: readonly VirtualMachine[],
  findClaim: FindClaim,
): SnapshotSizes {
  const owners = ownersOfClaims(vms);
  const byVm = new Map<string, number>();
  let namespace = 0;
  for (const snapshot of snapshots) {
    const bytes = sizeOf(snapshot, findClaim);
    namespace += bytes;
    const named = snapshot.metadata.labels?.[SOURCE_VM_NAME];
    const claim = snapshot.spec.source.persistentVolumeClaimName ?? '';
    for (const vm of named === undefined ? (owners.get(claim) ?? []) : [named])
      byVm.set(vm, (byVm.get(vm) ?? 0) + bytes);
  }
  return { namespace, vms: byVm };
}

/** What one snapshot takes; while nobody knows yet, as much as its claim. */
export function sizeOf({ spec, status }: VolumeSnapshot, findClaim: FindClaim): number {
  if (status?.restoreSize !== undefined) return Number(toBytes(status.restoreSize));
  return claimSize(findClaim(spec.source.persistentVolumeClaimName ?? ''));
}

/** What a snapshot of a claim takes. */
export const claimSize = (claim: PersistentVolumeClaim | undefined): number =>
  Number(toBytes(claim?.status?.capacity?.storage ?? claim?.spec?.resources?.requests?.storage ?? 0));

/** What a snapshot of a VM takes: that of its claims, but for those that the storage takes none of. */
export function vmSnapshotSize(vm: VirtualMachine, findClaim: FindClaim): number {
  const statuses = vm.status?.volumeSnapshotStatuses ?? [];
  const isLeftOut = (volume: string): boolean => statuses.some(({ name, enabled }) => name === volume && !enabled);
  return claimsOf(vm)
    .filter(({ volume }) => !isLeftOut(volume))
    .reduce((bytes, { claim }) => bytes + claimSize(findClaim(claim)), 0);
}

const claimsOf = ({ spec }: VirtualMachine): { volume: string; claim: string }[] =>
  (spec.template.spec?.volumes ?? []).flatMap((volume) => {
    const claim = writtenClaimNameOf(volume);
    return claim === undefined ? [] : [{ volume: volume.name, claim }];
  });

/** The names of the VMs that have a claim, by its name. */
function ownersOfClaims(vms: readonly VirtualMachine[]): Map<string, string[]> {
  const owners = new Map<string, string[]>();
  for (const vm of vms)
    for (const { claim } of claimsOf(vm)) owners.set(claim, [...(owners.get(claim) ?? []), vm.metadata.name ?? '']);
  return owners;
}
