import { hasEnded, isDeleting, type Persisted, type PersistentVolumeClaim, type Pod } from '@vireo/api';
import { waitsForData } from '@vireo/api/kinds/cdi/populated.ts';
import {
  mountedClaims,
  mountsClaim,
  type PluggedClaim,
  PROVISIONING_ANNOTATION,
  pluggedClaims,
} from '@vireo/api/kinds/kubevirt/attachmentPod.ts';
import { isFinal, type Vmi } from '@vireo/api/kinds/kubevirt/vmi.ts';
import type { ClaimLookup } from '../claims.ts';
import { isDownOrGoing } from './launcher.ts';

/** What decides which attachment pods a VMI should have. */
export interface AttachmentState {
  readonly vmi: Vmi;
  readonly launcher: Persisted<Pod> | undefined;
  /** The attachment pods of the VMI's launchers. */
  readonly attachments: readonly Persisted<Pod>[];
  readonly claim: ClaimLookup;
  /** Whether a claim gets its volume when a pod that names it has a node. */
  readonly waitsForConsumer: (claim: PersistentVolumeClaim) => boolean;
}

export interface AttachmentPlan {
  /** The claims of a new pod for all that is plugged in, if one is wanted. */
  readonly attach: readonly PluggedClaim[] | undefined;
  /** Claims that wait for their first consumer: a pod each, so that none waits for another. */
  readonly bind: readonly PluggedClaim[];
  readonly remove: readonly Persisted<Pod>[];
}

/**
 * One attachment pod names all claims that are plugged in and ready. When they change, another takes its place; the one
 * before goes when the new one runs, and when what only it names is out of the guest.
 */
export function attachmentPlan(state: AttachmentState): AttachmentPlan {
  const { vmi, launcher, claim, waitsForConsumer } = state;
  const live = state.attachments.filter((pod) => !isDeleting(pod));
  if (!launcher || isDownOrGoing(launcher) || isDeleting(vmi) || isFinal(vmi))
    return { attach: undefined, bind: [], remove: live };
  // They go where the launcher is.
  if (!launcher.spec?.nodeName) return { attach: undefined, bind: [], remove: [] };
  const wanted = pluggedClaims(vmi.spec);
  const found = (of: PluggedClaim): PersistentVolumeClaim | undefined => {
    const object = claim(of.claim);
    return object && !isDeleting(object) ? object : undefined;
  };
  const ready = wanted.filter((each) => isReady(found(each)));
  const unbound = wanted.filter((each) => {
    const object = found(each);
    return object !== undefined && !object.spec?.volumeName && waitsForConsumer(object);
  });
  const current = ready.length > 0 ? currentAttachment(live, wanted, ready) : undefined;
  const isMountedByCurrent = (each: PluggedClaim): boolean =>
    current !== undefined && current.status?.phase === 'Running' && mountsClaim(current, each);
  const isNeeded = (each: PluggedClaim): boolean => includes(wanted, each) || isInGuest(vmi, each);
  return {
    attach: ready.length > 0 && !current ? ready : undefined,
    bind: unbound.filter((each) => !live.some((pod) => !hasEnded(pod) && mountsClaim(pod, each))),
    remove: live.filter(
      (pod) =>
        pod !== current &&
        (hasEnded(pod) ||
          isStuck(pod) ||
          mountedClaims(pod).every((each) => isMountedByCurrent(each) || !isNeeded(each))),
    ),
  };
}

const isProvisioning = ({ metadata }: Persisted<Pod>): boolean =>
  metadata.annotations?.[PROVISIONING_ANNOTATION] !== undefined;

/** Whether a pod mounts nothing, and is not the one that is wanted: no node has it, and it waits for something in vain. */
const isStuck = (pod: Persisted<Pod>): boolean =>
  !isProvisioning(pod) && pod.status?.phase !== 'Running' && !pod.spec?.nodeName;

/**
 * A pod that names all that is ready and nothing that has to go. One that runs may name what is no longer ready, for the
 * guest has it; one that does not would wait for that, and all the others with it.
 */
function currentAttachment(
  pods: readonly Persisted<Pod>[],
  wanted: readonly PluggedClaim[],
  ready: readonly PluggedClaim[],
): Persisted<Pod> | undefined {
  const fitting = pods.filter(
    (pod) =>
      !hasEnded(pod) &&
      !isProvisioning(pod) &&
      ready.every((each) => mountsClaim(pod, each)) &&
      mountedClaims(pod).every((each) => includes(pod.status?.phase === 'Running' ? wanted : ready, each)),
  );
  return fitting.find(({ status }) => status?.phase === 'Running') ?? fitting[0];
}

const includes = (claims: readonly PluggedClaim[], { volume, claim }: PluggedClaim): boolean =>
  claims.some((each) => each.volume === volume && each.claim === claim);

const isReady = (claim: PersistentVolumeClaim | undefined): boolean =>
  claim?.status?.phase === 'Bound' && !waitsForData(claim);

/** Whether the node says that the guest has it, or is about to get it. */
const isInGuest = ({ status }: Vmi, { volume, claim }: PluggedClaim): boolean =>
  (status?.volumeStatus ?? []).some(
    ({ name, phase, hotplugVolume, memoryDumpVolume, persistentVolumeClaimInfo }) =>
      name === volume &&
      (hotplugVolume ?? memoryDumpVolume) !== undefined &&
      persistentVolumeClaimInfo?.claimName === claim &&
      phase !== 'UnMountedFromPod',
  );
