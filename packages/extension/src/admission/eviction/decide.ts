import { hasEnded, type Persisted, type Pod } from '@vireo/api';
import { isMigratable } from '@vireo/api/kinds/kubevirt/eviction.ts';
import { isFinal, type Vmi } from '@vireo/api/kinds/kubevirt/vmi.ts';

export type EvictionDecision =
  /** The pod goes, and the guest shuts down with it. */
  | { readonly action: 'allow' }
  | { readonly action: 'deny'; readonly message: string }
  /** Ask for the guest to be moved away from the node, and deny: the pod stays until the guest has left. */
  | { readonly action: 'evacuate'; readonly node: string; readonly message: string };

const ALLOW: EvictionDecision = { action: 'allow' };
const deny = (message: string): EvictionDecision => ({ action: 'deny', message });

/** What becomes of a request to evict a launcher pod. `strategy`: of the VMI, else of the cluster. */
export function launcherEviction(pod: Persisted<Pod>, vmi: Vmi | undefined, strategy: string): EvictionDecision {
  if (!vmi || isFinal(vmi) || hasEnded(pod)) return ALLOW;
  const { name, namespace } = vmi.metadata;
  switch (strategy) {
    case 'LiveMigrate':
      if (!isMigratable(vmi))
        return deny(`VMI ${name} is configured with an eviction strategy but is not live-migratable`);
      break;
    case 'LiveMigrateIfPossible':
      if (!isMigratable(vmi)) return ALLOW;
      break;
    case 'External':
      break;
    default:
      return ALLOW;
  }
  // The descheduler reads this text.
  const triggered = `Eviction triggered evacuation of VMI "${namespace}/${name}"`;
  const { nodeName = '', evacuationNodeName } = vmi.status ?? {};
  if (evacuationNodeName) return deny(`Evacuation in progress: ${triggered}`);
  const node = pod.spec?.nodeName ?? '';
  if (node !== nodeName) return deny('Eviction request for target Pod');
  return { action: 'evacuate', node, message: triggered };
}

/** What becomes of a request to evict the attachment pod of hotplugged volumes: it goes with the guest, not before. */
export function attachmentEviction(pod: Persisted<Pod>, vmi: Vmi | undefined): EvictionDecision {
  if (!vmi || isFinal(vmi) || hasEnded(pod)) return ALLOW;
  const { name, namespace } = vmi.metadata;
  return deny(
    `cannot evict hotplug pod: ${pod.metadata.name} associated with running vmi: ${name} in namespace ${namespace}`,
  );
}
