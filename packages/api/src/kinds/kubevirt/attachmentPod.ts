import { isDeleting } from '../../objects.ts';
import type { Pod } from '../core/pod.ts';
import { APP_LABEL } from './names.ts';
import type { VirtualMachineInstance } from './virtualMachineInstance.ts';
import { isHotpluggable, writtenClaimNameOf } from './volume.ts';

/**
 * What is plugged into a running guest is named by an attachment pod beside its launcher pod: only pods protect claims
 * from deletion, and only pods are the first consumers that claims wait for.
 */

const ATTACHMENT = 'hotplug-disk';

/** The labels of attachment pods, and the selector that finds them. */
export const ATTACHMENT_LABELS = { [APP_LABEL]: ATTACHMENT } as const;
export const ATTACHMENT_SELECTOR = `${APP_LABEL}=${ATTACHMENT}`;

/** On an attachment pod that only makes a claim be bound. The volume is not taken from it. */
export const PROVISIONING_ANNOTATION = 'kubevirt.io/ephemeral-provisioning';

/** A volume of a VMI that is on a claim, which may come and go while the guest runs. */
export interface PluggedClaim {
  readonly volume: string;
  readonly claim: string;
}

/** The launcher pod that an attachment pod belongs to; undefined for any other pod. */
export function launcherOf({ metadata }: Pod): { readonly name: string; readonly uid: string } | undefined {
  if (metadata.labels?.[APP_LABEL] !== ATTACHMENT) return undefined;
  return metadata.ownerReferences?.find(({ controller, kind }) => controller && kind === 'Pod');
}

/** The claims that an attachment pod mounts. */
export const mountedClaims = ({ spec }: Pod): PluggedClaim[] =>
  (spec?.volumes ?? []).flatMap(({ name, persistentVolumeClaim }) =>
    persistentVolumeClaim ? [{ volume: name, claim: persistentVolumeClaim.claimName }] : [],
  );

export const mountsClaim = (pod: Pod, { volume, claim }: PluggedClaim): boolean =>
  mountedClaims(pod).some((each) => each.volume === volume && each.claim === claim);

/** The attachment pod that a plugged volume is taken from: it runs, and is not about to go. */
export const attachmentOf = (pods: readonly Pod[], plugged: PluggedClaim): Pod | undefined =>
  pods.find(
    (pod) =>
      pod.status?.phase === 'Running' &&
      !isDeleting(pod) &&
      pod.metadata.annotations?.[PROVISIONING_ANNOTATION] === undefined &&
      mountsClaim(pod, plugged),
  );

/** The claims of a VMI that need an attachment pod: hotplugged disks, inserted discs, and what memory is dumped to. */
export const pluggedClaims = ({ volumes }: VirtualMachineInstance['spec']): PluggedClaim[] =>
  (volumes ?? []).flatMap((volume) => {
    const isPlugged = volume.memoryDump !== undefined || isHotpluggable(volume);
    const claim = writtenClaimNameOf(volume);
    return isPlugged && claim ? [{ volume: volume.name, claim }] : [];
  });
