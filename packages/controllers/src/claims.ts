import { findCondition, type PersistentVolume, type PersistentVolumeClaim, type StorageClass } from '@vireo/api';
import type { DataVolume } from '@vireo/api/kinds/cdi/dataVolume.ts';
import { BOUND_MESSAGE } from '@vireo/api/kinds/cdi/names.ts';
import { waitsForData } from '@vireo/api/kinds/cdi/populated.ts';
import {
  LOCAL_PROVISIONER,
  NO_PROVISIONER,
  SELECTED_NODE,
  SHARED_PROVISIONER,
} from '@vireo/api/kinds/core/volumeNames.ts';
import type { Vmi } from '@vireo/api/kinds/kubevirt/vmi.ts';
import { claimNameOf, isHotpluggable } from '@vireo/api/kinds/kubevirt/volume.ts';

type Spec = Vmi['spec'];
type Volumes = Spec['volumes'];

/** A volume that lives on a claim. */
export interface ClaimVolume {
  readonly volume: string;
  readonly claim: string;
}

/** The volumes that need a claim before the VM can start. */
export const claimsToStart = (volumes: Volumes): ClaimVolume[] =>
  // What can be plugged in later does not hold up the start.
  claimsOf(volumes?.filter((volume) => !isHotpluggable(volume)));

/** The discs that are to be in CD-ROM drives. They can come later, but not if the VM is to boot from them. */
export function discVolumes({ volumes, domain }: Spec): ClaimVolume[] {
  const drives = new Set(domain.devices?.disks?.filter(({ cdrom }) => cdrom).map(({ name }) => name));
  return claimsOf(volumes?.filter(({ name }) => drives.has(name)));
}

const claimsOf = (volumes: Volumes): ClaimVolume[] =>
  (volumes ?? []).flatMap((volume) => {
    const claim = claimNameOf(volume) ?? volume.ephemeral?.persistentVolumeClaim?.claimName ?? '';
    return claim ? [{ volume: volume.name, claim }] : [];
  });

export type ClaimLookup = (claim: string) => PersistentVolumeClaim | undefined;

/** The first volume whose claim does not exist. */
export const missingClaim = (volumes: Volumes, claimOf: ClaimLookup): ClaimVolume | undefined =>
  claimsToStart(volumes).find(({ claim }) => !claimOf(claim));

/** What the disks of VMs are looked up in, by name in their namespace. */
export interface Disks {
  claim(name: string): PersistentVolumeClaim | undefined;
  dataVolume(name: string): DataVolume | undefined;
}

/** The first claim of a VMI that has to be filled before a launcher makes sense. */
export function unfilledClaim({ spec }: Vmi, disks: Disks): ClaimVolume | undefined {
  return [...claimsToStart(spec.volumes), ...discVolumes(spec)].find(({ claim: name }) => {
    const claim = disks.claim(name);
    // Where the class waits for a consumer, the launcher is the consumer that it waits for.
    const isWaiting = disks.dataVolume(name)?.status?.phase === 'WaitForFirstConsumer';
    return claim !== undefined && waitsForData(claim) && !isWaiting && !isBeingPlaced(claim);
  });
}

/** How far a DataVolume is: `DataVolume web-root is ImportInProgress, 42.00%: building the guest image, …`. */
export function fillingText({ metadata, status }: DataVolume): string {
  const { phase = 'Pending', progress = 'N/A' } = status ?? {};
  const running = findCondition(status?.conditions, 'Running');
  const isTelling = running?.status === 'True' || running?.reason === 'Error';
  const message = isTelling && running?.message ? `: ${running.message}` : '';
  return `DataVolume ${metadata.name} is ${phase}${progress === 'N/A' ? '' : `, ${progress}`}${message}`;
}

const isBeingPlaced = ({ metadata, status }: PersistentVolumeClaim): boolean =>
  status?.phase === 'Pending' && metadata.annotations?.[SELECTED_NODE] !== undefined;

/** Why a claim has no volume yet, as the node that is to make one says. */
const provisioningProblem = ({ metadata, status }: PersistentVolumeClaim): string | undefined =>
  status?.phase === 'Bound' ? undefined : metadata.annotations?.[BOUND_MESSAGE];

/**
 * Why no node can use a claim, whatever becomes of it: nodes open files and devices that are there, and mount nothing.
 * Undefined for one that they can use, or may once it has a volume.
 */
export function unusableReason(
  { spec }: PersistentVolumeClaim,
  volume: PersistentVolume | undefined,
  storageClass: StorageClass | undefined,
): string | undefined {
  const { provisioner } = storageClass ?? {};
  const className = spec?.storageClassName;
  const of = className ? ` of StorageClass ${className}${provisioner ? ` (provisioner ${provisioner})` : ''}` : '';
  if (volume) {
    const { local, hostPath } = volume.spec ?? {};
    if (local ?? hostPath) return undefined;
    return `PersistentVolume ${volume.metadata.name}${of} is neither local nor hostPath, and nodes of Vireo mount nothing: ${REMEDY}`;
  }
  if (spec?.volumeName || !provisioner || USABLE_PROVISIONERS.includes(provisioner)) return undefined;
  return `it is${of}, whose volumes nodes of Vireo cannot mount: ${REMEDY}`;
}

const USABLE_PROVISIONERS = [LOCAL_PROVISIONER, SHARED_PROVISIONER, NO_PROVISIONER];
const REMEDY =
  'use a class of vireo.io/local, or mount the storage on every node and use a class of vireo.io/shared for that directory';

/** The first volume whose claim cannot be had, such as one that is larger than the disk of the node, and why. */
export function unprovidedClaim(
  volumes: Volumes,
  claimOf: ClaimLookup,
): (ClaimVolume & { readonly why: string }) | undefined {
  for (const each of claimsToStart(volumes)) {
    const claim = claimOf(each.claim);
    const why = claim && provisioningProblem(claim);
    if (why) return { ...each, why };
  }
  return undefined;
}
