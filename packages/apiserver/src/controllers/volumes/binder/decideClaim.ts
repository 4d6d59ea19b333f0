import type { Persisted, PersistentVolume, PersistentVolumeClaim, StorageClass } from '@vireo/api';
import { BIND_COMPLETED, NO_PROVISIONER, SELECTED_NODE } from '@vireo/api/kinds/core/volumeNames.ts';
import { bestVolume, isReservedFor, mismatchReason } from './match.ts';

/** An event about a claim. */
export interface Notice {
  readonly type: 'Normal' | 'Warning';
  readonly reason: string;
  readonly message: string;
}

/** What has to happen to a claim. */
export type ClaimDecision =
  | { readonly action: 'bind'; readonly volume: Persisted<PersistentVolume> }
  | { readonly action: 'provision'; readonly provisioner: string }
  | { readonly action: 'wait'; readonly notice?: Notice }
  /** The volume is gone or another's, and the claim can never be trusted again. */
  | { readonly action: 'lose'; readonly notice: Notice };

/** What a claim could be bound to. */
export interface BindingContext {
  volume(name: string): Persisted<PersistentVolume> | undefined;
  volumes(): readonly Persisted<PersistentVolume>[];
  readonly storageClass: StorageClass | undefined;
  /** Whether the node that was chosen for the claim can use a volume. */
  reaches(volume: PersistentVolume): boolean;
}

const warning = (reason: string, message: string): Notice => ({ type: 'Warning', reason, message });

/** Decides about a claim from what is, never from what happened. */
export function decideClaim(claim: PersistentVolumeClaim, context: BindingContext): ClaimDecision {
  if (claim.metadata.annotations?.[BIND_COMPLETED] !== undefined) return decideBound(claim, context);
  return claim.spec?.volumeName ? decideNamed(claim, claim.spec.volumeName, context) : decideOpen(claim, context);
}

/** A claim that had its volume before. */
function decideBound(claim: PersistentVolumeClaim, context: BindingContext): ClaimDecision {
  const lost = (reason: string, message: string): ClaimDecision => ({
    action: 'lose',
    notice: warning(reason, message),
  });
  const name = claim.spec?.volumeName;
  if (!name)
    return lost('ClaimLost', 'Bound claim has lost reference to PersistentVolume. Data on the volume is lost!');
  const volume = context.volume(name);
  if (!volume) return lost('ClaimLost', 'Bound claim has lost its PersistentVolume. Data on the volume is lost!');
  if (!volume.spec?.claimRef || volume.spec.claimRef.uid === claim.metadata.uid) return { action: 'bind', volume };
  return lost('ClaimMisbound', 'Two claims are bound to the same volume, this one is bound incorrectly');
}

/** A claim that asks for one volume by name. */
function decideNamed(claim: PersistentVolumeClaim, name: string, context: BindingContext): ClaimDecision {
  const volume = context.volume(name);
  if (!volume) return { action: 'wait', notice: warning('FailedBinding', `volume "${name}" not found`) };
  if (volume.spec?.claimRef && !isReservedFor(volume, claim))
    return {
      action: 'wait',
      notice: warning('FailedBinding', `volume "${name}" already bound to a different claim.`),
    };
  const why = mismatchReason(volume, claim);
  if (why)
    return {
      action: 'wait',
      notice: warning('VolumeMismatch', `Cannot bind to requested volume "${name}": ${why}`),
    };
  return { action: 'bind', volume };
}

/** A claim that takes any volume that fits. */
function decideOpen(claim: PersistentVolumeClaim, context: BindingContext): ClaimDecision {
  const { storageClass } = context;
  const isWaiting =
    storageClass?.volumeBindingMode === 'WaitForFirstConsumer' &&
    claim.metadata.annotations?.[SELECTED_NODE] === undefined;
  // Without a node only a volume that somebody set aside for this very claim is certain to be right.
  const candidates = isWaiting ? context.volumes().filter((each) => isReservedFor(each, claim)) : context.volumes();
  const volume = bestVolume(claim, candidates, context.reaches);
  if (volume) return { action: 'bind', volume };
  if (isWaiting)
    return {
      action: 'wait',
      notice: {
        type: 'Normal',
        reason: 'WaitForFirstConsumer',
        message: 'waiting for first consumer to be created before binding',
      },
    };
  const name = claim.spec?.storageClassName ?? '';
  if (name === '')
    return {
      action: 'wait',
      notice: {
        type: 'Normal',
        reason: 'FailedBinding',
        message: 'no persistent volumes available for this claim and no storage class is set',
      },
    };
  if (!storageClass)
    return {
      action: 'wait',
      notice: warning('ProvisioningFailed', `storageclass.storage.k8s.io "${name}" not found`),
    };
  if (storageClass.provisioner === NO_PROVISIONER)
    return {
      action: 'wait',
      notice: {
        type: 'Normal',
        reason: 'FailedBinding',
        message: 'no persistent volumes available for this claim, and its storage class does not provision any',
      },
    };
  return { action: 'provision', provisioner: storageClass.provisioner };
}
