import { isOwnedBy, type Persisted, type PersistentVolumeClaim } from '@vireo/api';
import type { DataVolume } from '@vireo/api/kinds/cdi/dataVolume.ts';
import type { VirtualMachineSnapshot } from '@vireo/api/kinds/snapshot/virtualMachineSnapshot.ts';
import { toBytes } from '@vireo/api/quantity.ts';
import { formatSize, objectOf, type VmOrVmi } from '../vmSummary.ts';

export interface RelatedObjects {
  readonly claims: readonly Persisted<PersistentVolumeClaim>[];
  readonly dataVolumes: readonly Persisted<DataVolume>[];
  readonly snapshots: readonly Persisted<VirtualMachineSnapshot>[];
}

/** What a deletion of a VM takes along, and what it leaves. */
export interface DeletionScope {
  readonly goes: readonly string[];
  readonly stays: readonly string[];
  /** How to delete what stays. */
  readonly command?: string;
}

/** Claims that were made for the VM go with it; those that it only uses, and snapshots, stay. */
export function deletionScope(pair: VmOrVmi, { claims, dataVolumes, snapshots }: RelatedObjects): DeletionScope {
  const { metadata } = objectOf(pair);
  const spec = pair.vm?.spec.template?.spec ?? pair.vmi?.spec;
  const used = new Set(
    (spec?.volumes ?? []).flatMap(({ dataVolume, persistentVolumeClaim }) => [
      ...(dataVolume ? [dataVolume.name] : []),
      ...(persistentVolumeClaim ? [persistentVolumeClaim.claimName] : []),
    ]),
  );
  const owners = [objectOf(pair), ...dataVolumes.filter((each) => isOwnedBy(each, objectOf(pair)))];
  const isMade = (claim: Persisted<PersistentVolumeClaim>): boolean => owners.some((owner) => isOwnedBy(claim, owner));
  const made = claims.filter(isMade);
  const kept = claims.filter((claim) => used.has(claim.metadata.name) && !isMade(claim));
  const taken = snapshots.filter(
    ({ spec: { source } }) => source.kind === 'VirtualMachine' && source.name === metadata.name,
  );
  const commands = [
    ...(kept.length > 0 ? [`kubectl delete pvc ${kept.map(({ metadata: { name } }) => name).join(' ')}`] : []),
    ...(taken.length > 0 ? [`kubectl delete vmsnapshot ${taken.map(({ metadata: { name } }) => name).join(' ')}`] : []),
  ].map((command) => `${command} -n ${metadata.namespace}`);
  return {
    goes: made.map(claimText),
    stays: [...kept.map(claimText), ...taken.map((snapshot) => `snapshot ${snapshot.metadata.name}`)],
    ...(commands.length > 0 && { command: commands.join('; ') }),
  };
}

function claimText({ metadata, spec, status }: Persisted<PersistentVolumeClaim>): string {
  const size = status?.capacity?.storage ?? spec?.resources?.requests?.storage;
  return `claim ${metadata.name}${size === undefined ? '' : ` (${formatSize(Number(toBytes(size)))})`}`;
}
