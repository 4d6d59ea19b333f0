import { type Node, timestamp, withCondition } from '@vireo/api';
import {
  DEVICE_PREFIX,
  effectiveHypervisor,
  type HostCapabilities,
  hypervisorLabels,
  LABEL_PREFIXES,
  resolveLabeller,
} from '@vireo/hypervisor';
import type { Host } from '../host/host.ts';
import type { KvmProbe } from '../host/probeKvm.ts';
import { HEARTBEAT_ANNOTATION, SCHEDULABLE_LABEL } from '../wellKnown.ts';
import { type NodeCondition, noPressure, readyCondition } from './readiness.ts';

/** What is known of the node that registers. */
export interface NodeFacts {
  readonly host: Host;
  readonly capabilities: HostCapabilities;
  readonly kvm: KvmProbe;
  /** Of libvirt and of us, for people. */
  readonly versions: { readonly libvirt: string; readonly agent: string };
}

/** Machines share devices; this many may use one at the same time. */
const SHARED = '1000';
const MOST_PODS = '1000';

/** The labels by which launchers choose nodes. */
export const labelsOf = ({ host, capabilities, kvm }: NodeFacts): Record<string, string> => ({
  'kubernetes.io/arch': host.architecture,
  'kubernetes.io/hostname': host.name,
  'kubernetes.io/os': 'linux',
  [SCHEDULABLE_LABEL]: 'true',
  'kubevirt.io/cpumanager': 'false',
  ...hypervisorLabels(
    effectiveHypervisor('kvm', !kvm.isUsable),
    resolveLabeller('kvm', !kvm.isUsable, host.architecture),
    capabilities,
  ),
});

/** The changes that make a node's metadata true; labels that it no longer deserves go. */
export function metadataPatch(facts: NodeFacts, before: Node | undefined, now: Date): Node['metadata'] {
  const wanted = labelsOf(facts);
  const stale = Object.keys(before?.metadata.labels ?? {}).filter(
    (label) => !(label in wanted) && LABEL_PREFIXES.some((prefix) => label.startsWith(prefix)),
  );
  const removed = Object.fromEntries(stale.map((label) => [label, null as unknown as string]));
  return { labels: { ...removed, ...wanted }, annotations: { [HEARTBEAT_ANNOTATION]: timestamp(now) } };
}

export function statusOf(facts: NodeFacts, before: Node | undefined, now: Date): NonNullable<Node['status']> {
  const { host, kvm, versions } = facts;
  const devices = [...(kvm.isUsable ? ['kvm'] : []), ...host.devices];
  const resources = {
    cpu: String(host.cpus),
    memory: `${Math.floor(host.memoryBytes / 1024)}Ki`,
    'ephemeral-storage': `${Math.floor(host.diskBytes / 1024)}Ki`,
    pods: MOST_PODS,
    ...Object.fromEntries(devices.map((name) => [`${DEVICE_PREFIX}${name}`, SHARED])),
  };
  return {
    capacity: resources,
    allocatable: resources,
    conditions: conditionsOf(facts, before, now),
    addresses: [
      { type: 'InternalIP', address: host.address },
      { type: 'Hostname', address: host.name },
    ],
    nodeInfo: {
      architecture: host.architecture,
      operatingSystem: 'linux',
      kernelVersion: host.kernel,
      osImage: host.osImage,
      machineID: host.machineId,
      systemUUID: host.machineId,
      bootID: host.bootId,
      containerRuntimeVersion: `libvirt://${versions.libvirt}`,
      kubeletVersion: versions.agent,
      kubeProxyVersion: '',
    },
  };
}

function conditionsOf({ kvm }: NodeFacts, before: Node | undefined, now: Date): NodeCondition[] {
  const said: Omit<NodeCondition, 'lastHeartbeatTime'>[] = [
    ...noPressure,
    readyCondition(undefined),
    kvm.isUsable
      ? { type: 'SoftwareEmulation', status: 'False', reason: 'KvmUsable', message: 'guests run with KVM' }
      : {
          type: 'SoftwareEmulation',
          status: 'True',
          reason: 'KvmNotUsable',
          message: `guests are emulated: ${kvm.reason}`,
        },
  ];
  const heartbeat = timestamp(now);
  return said.reduce<NodeCondition[]>(
    (conditions, each) => withCondition(conditions, { ...each, lastHeartbeatTime: heartbeat }, now),
    before?.status?.conditions ?? [],
  );
}
