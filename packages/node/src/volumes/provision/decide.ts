import {
  isDeleting,
  isSharedVolume,
  nodeOfVolume,
  type Persisted,
  type PersistentVolume,
  type PersistentVolumeClaim,
  type StorageClass,
  servingNodeOf,
} from '@vireo/api';
import { type Origin, originOf } from '@vireo/api/kinds/cdi/origin.ts';
import {
  BETA_STORAGE_PROVISIONER,
  LOCAL_PROVISIONER,
  PROVISIONED_BY,
  SELECTED_NODE,
  SHARED_DIRECTORY,
  SHARED_PROVISIONER,
  STORAGE_PROVISIONER,
} from '@vireo/api/kinds/core/volumeNames.ts';
import { toBytes } from '@vireo/api/quantity.ts';

/** What this node has to do about a claim. */
export type ClaimDecision =
  | { readonly action: 'none' }
  | { readonly action: 'provision'; readonly sizeBytes: number; readonly origin: Origin }
  | { readonly action: 'grow'; readonly volume: Persisted<PersistentVolume>; readonly sizeBytes: number }
  /** Nobody can fulfil it; the claim has to change first. */
  | { readonly action: 'refuse'; readonly message: string };

/** Parameter of a class: whether a disk may be larger than what is free. Disks are sparse, so the default is true. */
const ALLOW_OVERCOMMIT = 'allowOvercommit';

export const allowsOvercommit = (storageClass: StorageClass | undefined): boolean =>
  storageClass?.parameters?.[ALLOW_OVERCOMMIT] !== 'false';

const NONE: ClaimDecision = { action: 'none' };
const MIB = 1024 * 1024;

const isOurClass = ({ provisioner }: StorageClass): boolean =>
  provisioner === LOCAL_PROVISIONER || provisioner === SHARED_PROVISIONER;

/** The name of the volume that is made for a claim: follows from the claim, so that none is made twice. */
export const volumeNameFor = ({ metadata }: Persisted<PersistentVolumeClaim>): string => `pvc-${metadata.uid}`;

/** Decides about a claim; `volume` is the one that it names. */
export function decideClaim(
  claim: Persisted<PersistentVolumeClaim>,
  storageClass: Persisted<StorageClass> | undefined,
  volume: Persisted<PersistentVolume> | undefined,
  node: string,
): ClaimDecision {
  if (isDeleting(claim)) return NONE;
  if (claim.spec?.volumeName) return volume ? decideSize(claim, volume, node) : NONE;
  const { annotations = {} } = claim.metadata;
  if (!storageClass || !isOurClass(storageClass)) return NONE;
  // The scheduler chooses a node for a claim that waits for its consumer, and our controllers for any other.
  // Kubernetes before 1.23 knows only the old name of its annotation.
  const provisioner = annotations[STORAGE_PROVISIONER] ?? annotations[BETA_STORAGE_PROVISIONER];
  if (annotations[SELECTED_NODE] !== node || provisioner !== storageClass.provisioner) return NONE;
  const message = unsupportedReason(claim, storageClass);
  if (message) return { action: 'refuse', message };
  const origin = originOf(claim);
  if (!origin) return NONE;
  return { action: 'provision', sizeBytes: requestedBytes(claim), origin };
}

function decideSize(
  claim: Persisted<PersistentVolumeClaim>,
  volume: Persisted<PersistentVolume>,
  node: string,
): ClaimDecision {
  if (!isOurs(volume, node) || volume.spec?.claimRef?.uid !== claim.metadata.uid) return NONE;
  if (claim.status?.phase !== 'Bound') return NONE;
  const sizeBytes = requestedBytes(claim);
  const isLarger = (amount: string | number | undefined): boolean => sizeBytes > Number(toBytes(amount ?? '0'));
  const isDone = !isLarger(volume.spec?.capacity?.storage) && !isLarger(claim.status.capacity?.storage);
  return isDone ? NONE : { action: 'grow', volume, sizeBytes };
}

/** Disks are made of whole MiB. */
function requestedBytes({ spec }: Persisted<PersistentVolumeClaim>): number {
  const wanted = Number(toBytes(spec?.resources?.requests?.storage ?? '0'));
  return Math.ceil(wanted / MIB) * MIB;
}

function unsupportedReason(
  { spec = {} }: Persisted<PersistentVolumeClaim>,
  { parameters = {}, metadata, provisioner }: Persisted<StorageClass>,
): string | undefined {
  const isShared = provisioner === SHARED_PROVISIONER;
  if (!isShared && spec.accessModes?.includes('ReadWriteMany'))
    return (
      'spec.accessModes: ReadWriteMany is not supported: a local volume is on one node and has one writer; ' +
      'use ReadWriteOnce, or a class of a shared directory'
    );
  if (spec.selector)
    return 'spec.selector: not supported, because each claim gets a new volume, without labels; leave it out';
  if (isShared && !parameters[SHARED_DIRECTORY]?.startsWith('/'))
    return `StorageClass ${metadata.name}: parameter ${SHARED_DIRECTORY} must be an absolute path`;
  for (const [name, value] of Object.entries(parameters)) {
    if (isShared && name === SHARED_DIRECTORY) continue;
    if (name !== ALLOW_OVERCOMMIT) return `StorageClass ${metadata.name} has an unknown parameter "${name}"`;
    if (value !== 'true' && value !== 'false')
      return `StorageClass ${metadata.name}: parameter ${ALLOW_OVERCOMMIT} must be "true" or "false", not "${value}"`;
  }
  const { dataSource, dataSourceRef } = spec;
  const namespace = (dataSourceRef as { namespace?: string } | undefined)?.namespace;
  if (namespace) return 'spec.dataSourceRef.namespace: only sources in the namespace of the claim can be used';
  // A server writes what one of the two fields says into the other; a source of any kind is somebody else's to read.
  return dataSource && !dataSourceRef && !originOf({ metadata: {}, spec })
    ? `spec.dataSource: a volume cannot be created from a ${dataSource.kind}`
    : undefined;
}

/** What this node has to do about a volume. */
export type VolumeDecision =
  | { readonly action: 'none' }
  /** The data goes, and the volume with it. */
  | { readonly action: 'remove' }
  /** Somebody removed the object of a volume that is to be retained: the data stays. */
  | { readonly action: 'letGo' }
  /** Another node was faster: what this one has made for the same claim is nobody's. */
  | { readonly action: 'discard' };

export function decideVolume(volume: Persisted<PersistentVolume>, node: string): VolumeDecision {
  if (!isOurs(volume, node)) return { action: isOfAnotherNode(volume, node) ? 'discard' : 'none' };
  const { phase } = volume.status ?? {};
  const isDelete = volume.spec?.persistentVolumeReclaimPolicy === 'Delete';
  if ((phase === 'Released' || phase === 'Failed') && isDelete) return { action: 'remove' };
  if (!isDeleting(volume) || phase === 'Bound') return { action: 'none' };
  return { action: isDelete ? 'remove' : 'letGo' };
}

/** Whether the volume is a directory of this node, or one of several nodes that this one deals with. */
export const isOurs = (volume: Persisted<PersistentVolume>, node: string): boolean =>
  isLocal(volume) ? nodeOfVolume(volume) === node : isSharedVolume(volume) && servingNodeOf(volume) === node;

const isOfAnotherNode = (volume: Persisted<PersistentVolume>, node: string): boolean =>
  isLocal(volume) && nodeOfVolume(volume) !== node && volume.metadata.name === `pvc-${volume.spec?.claimRef?.uid}`;

const isLocal = ({ metadata, spec }: Persisted<PersistentVolume>): boolean =>
  metadata.annotations?.[PROVISIONED_BY] === LOCAL_PROVISIONER && spec?.local !== undefined;
