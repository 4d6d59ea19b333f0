import type { Persisted, Pod } from '@vireo/api';
import { hostnameOf } from '@vireo/api/kinds/kubevirt/hostname.ts';
import { CREATED_BY_LABEL, VM_NAME_LABEL } from '@vireo/api/kinds/kubevirt/names.ts';
import { objectOf, pairVms, stateOf, type VmOrVmi } from '../vmSummary.ts';
import type { NetworkObjects } from './read.ts';

/** A VM as Services and policies see it. */
export interface Machine {
  readonly namespace: string;
  readonly name: string;
  readonly pair: VmOrVmi;
  /** Of its launcher pod, or what that would have. */
  readonly labels: Readonly<Record<string, string>>;
  readonly pod?: Persisted<Pod>;
  readonly state: string;
}

/** The VMs, and VMIs without one, with the pods that they run in. */
export function machinesOf({ vms, vmis, pods }: Pick<NetworkObjects, 'vms' | 'vmis' | 'pods'>): Machine[] {
  const podOf = new Map(
    pods
      .filter(({ status }) => status?.phase !== 'Succeeded' && status?.phase !== 'Failed')
      .map((pod) => [pod.metadata.labels?.[CREATED_BY_LABEL], pod]),
  );
  return pairVms(vms, vmis).map((pair) => {
    const { metadata } = objectOf(pair);
    const pod = pair.vmi && podOf.get(pair.vmi.metadata.uid);
    return {
      namespace: metadata.namespace ?? '',
      name: metadata.name,
      pair,
      labels: pod?.metadata.labels ?? futureLabels(pair),
      ...(pod && { pod }),
      state: stateOf(pair),
    };
  });
}

/** What the launcher pod of a VM has once it runs. */
function futureLabels({ vm, vmi }: VmOrVmi): Record<string, string> {
  const { labels = {} } = vmi?.metadata ?? vm?.spec.template?.metadata ?? {};
  const hostname = vmi ? hostnameOf(vmi) : vm && hostnameOf({ metadata: vm.metadata, spec: vm.spec.template?.spec });
  return { ...labels, ...(hostname && { [VM_NAME_LABEL]: hostname }) };
}

/**
 * Whether a VM has the address of its node, as with QEMU's user networking: what is sent there, the guest never sees. Unknown
 * without its pod.
 */
export const isBehindNode = ({ pod }: Machine): boolean =>
  pod?.status?.podIP !== undefined && pod.status.podIP === pod.status.hostIP;
