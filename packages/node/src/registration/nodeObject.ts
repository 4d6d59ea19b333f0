import { conditionOf, type Node, timestamp, withCondition } from '@vireo/api';
import { deepEqual } from '@vireo/api/json.ts';
import { FREE_STORAGE } from '@vireo/api/kinds/core/volumeNames.ts';
import { HEARTBEAT_ANNOTATION, SCHEDULABLE_LABEL, VERSION_ANNOTATION } from '@vireo/api/kinds/kubevirt/names.ts';
import {
  type HostCapabilities,
  HYPERVISOR_LABEL,
  hypervisorLabels,
  isHypervisorLabel,
  resolveLabeller,
} from '@vireo/hypervisor';
import type { DeviceState } from '../devices/deviceHealth.ts';
import { cpuResources, deviceResources, type Resources, resourcesPatch } from '../devices/resources.ts';
import type { DiskState } from '../host/diskSpace.ts';
import type { Host } from '../host/host.ts';
import type { KvmProbe } from '../host/probeKvm.ts';
import { type LimitSupport, limitsCondition } from '../limits/place.ts';
import { type HypervisorSupport, hypervisorCondition } from './hypervisorSupport.ts';
import { type ConditionDraft, type NodeCondition, pressureConditions, readyCondition } from './readiness.ts';

/** What is known of the node that registers. */
export interface NodeFacts {
  readonly host: Host;
  readonly support: HypervisorSupport;
  readonly capabilities: HostCapabilities;
  readonly devices: readonly DeviceState[];
  readonly kvm: KvmProbe;
  /** What of guests can be limited, where that is known. */
  readonly limits?: LimitSupport | undefined;
  /** How full its disk is, where that is known. */
  readonly disk?: DiskState | undefined;
  /** Further conditions, such as those of the network. */
  readonly conditions?: readonly ConditionDraft[];
  /** Whether VMIs can have CPUs to themselves here. */
  readonly hasCpuManager?: boolean;
  /** How many CPUs that could be at most. */
  readonly dedicableCpus?: number | undefined;
  /** Where the cluster reaches the node; missing: in the process of its server. */
  readonly endpoint?: NodeEndpointAddress | undefined;
  /** Its IPv6 address, where it has one besides its IPv4 address. */
  readonly address6?: string | undefined;
  /** Whether only pods may come that tolerate a node that is no kubelet. */
  readonly taint?: boolean;
  /** Of libvirt, of the Kubernetes that the agent understands, and of Vireo, for people. */
  readonly versions: { readonly libvirt: string; readonly agent: string; readonly vireo?: string };
}

/** What the labels of a node follow from. */
export type LabelFacts = Pick<NodeFacts, 'support' | 'capabilities' | 'hasCpuManager'> & {
  readonly host: Pick<Host, 'name' | 'architecture'>;
};

/** Where a node listens. */
export interface NodeEndpointAddress {
  readonly address: string;
  readonly port: number;
  /** Its name, where other hosts find the address by it: they try it first. */
  readonly hostname?: string;
}

/** As virtual kubelets do: on a cluster whose other nodes run containers, those do not come here. */
export const VIRTUAL_KUBELET_TAINT = { key: 'virtual-kubelet.io/provider', value: 'vireo', effect: 'NoSchedule' };
const VIRTUAL_KUBELET_LABEL = { type: 'virtual-kubelet' };

const MAX_PODS = '1000';

/** On a node that its administrator labels by hand. */
const SKIP_ANNOTATION = 'node-labeller.kubevirt.io/skip-node';
/** Labels of names that only a plug-in knows, so that they can go when the plug-in has gone. */
const OWN_LABELS_ANNOTATION = 'vireo.dev/node-labels';

/** What every node says of itself. Launchers go by the hypervisor's name: also where labels are the administrator's. */
const basicLabels = ({ host, support, hasCpuManager = false }: LabelFacts): Record<string, string> => ({
  ...(support.problem === undefined && { [HYPERVISOR_LABEL]: support.hypervisor }),
  'kubernetes.io/arch': host.architecture,
  'kubernetes.io/hostname': host.name,
  'kubernetes.io/os': 'linux',
  'kubevirt.io/cpumanager': String(hasCpuManager),
  // Its name in older versions of KubeVirt.
  cpumanager: String(hasCpuManager),
});

/** Labels that tell what guests can have here. A hypervisor that the node cannot run has no name here. */
function discoveredLabels({ support, capabilities, host }: LabelFacts): Record<string, string> {
  const resolved = resolveLabeller(support.hypervisor, false, host.architecture);
  const { features } = support;
  const labeller = features ? { ...resolved, discoverFeatures: () => ({ ...features }) } : resolved;
  const label = (by: typeof labeller) => hypervisorLabels(support.hypervisor, by, capabilities, support.obsoleteModels);
  if (support.problem === undefined) return label(labeller);
  const { discoverFeatures: _, ...common } = labeller;
  const labels = support.isLabelled === false ? label(common) : label(labeller);
  const isPromise = (label: string): boolean => label.startsWith('hypervisor.') || !isHypervisorLabel(label);
  return Object.fromEntries(Object.entries(labels).filter(([label]) => !isPromise(label)));
}

/** The labels by which launchers choose nodes. */
export const labelsOf = (facts: LabelFacts, isSkipped = false): Record<string, string> => ({
  ...basicLabels(facts),
  ...(isSkipped ? {} : discoveredLabels(facts)),
});

/** The changes that make a node's labels true, if any; those that it no longer deserves go. */
export function labelsPatch(facts: LabelFacts, before: Node | undefined): Node['metadata'] | undefined {
  const { labels: current = {}, annotations = {} } = before?.metadata ?? {};
  const isSkipped = annotations[SKIP_ANNOTATION] !== undefined;
  const wanted = labelsOf(facts, isSkipped);
  const ownBefore = annotations[OWN_LABELS_ANNOTATION]?.split(',') ?? [];
  const isOurs = (label: string): boolean => isHypervisorLabel(label) || ownBefore.includes(label);
  const isKept = (label: string): boolean => isSkipped && label !== HYPERVISOR_LABEL;
  const stale = Object.keys(current).filter((label) => !(label in wanted) && isOurs(label) && !isKept(label));
  const changed = Object.entries(wanted).filter(([label, value]) => current[label] !== value);
  const own = Object.keys(wanted)
    .filter((label) => !isHypervisorLabel(label) && !(label in basicLabels(facts)))
    .sort()
    .join(',');
  const ownChanged = !isSkipped && own !== (annotations[OWN_LABELS_ANNOTATION] ?? '');
  if (stale.length === 0 && changed.length === 0 && !ownChanged) return undefined;
  return {
    labels: { ...Object.fromEntries(stale.map((label) => [label, gone])), ...Object.fromEntries(changed) },
    ...(ownChanged && { annotations: { [OWN_LABELS_ANNOTATION]: own || gone } }),
  };
}

/** How a merge patch says that a field goes. */
const gone = null as unknown as string;

/** How much is free for volumes, for whoever warns of claims that are larger. */
export const freeStorage = (disk: DiskState | undefined): Record<string, string> =>
  disk ? { [FREE_STORAGE]: String(disk.freeStorageBytes) } : {};

/** The metadata of a node that registers. */
export function metadataPatch(facts: NodeFacts, before: Node | undefined, now: Date): Node['metadata'] {
  const { labels, annotations } = labelsPatch(facts, before) ?? {};
  return {
    labels: { ...labels, [SCHEDULABLE_LABEL]: 'true' },
    annotations: {
      ...annotations,
      ...(facts.versions.vireo && { [VERSION_ANNOTATION]: facts.versions.vireo }),
      [HEARTBEAT_ANNOTATION]: timestamp(now),
      ...freeStorage(facts.disk),
    },
  };
}

/** What a new Node has that its agent may not change later. */
export const creationPatch = ({
  taint = false,
}: Pick<NodeFacts, 'taint'>): Pick<Node, 'spec'> & { labels: object } => ({
  labels: taint ? VIRTUAL_KUBELET_LABEL : {},
  ...(taint && { spec: { taints: [VIRTUAL_KUBELET_TAINT] } }),
});

const kib = (bytes: number): string => `${Math.floor(bytes / 1024)}Ki`;

export function statusOf(facts: NodeFacts, before: Node | undefined, now: Date): NonNullable<Node['status']> {
  const { host, versions } = facts;
  const { hugePages = {} } = host;
  const own = {
    cpu: String(host.cpus),
    memory: kib(host.memoryBytes),
    ...Object.fromEntries(Object.entries(hugePages).map(([resource, bytes]) => [resource, kib(bytes)])),
    'ephemeral-storage': kib(host.diskBytes),
    pods: MAX_PODS,
  };
  // Memory that is set aside as huge pages is no use for anything else.
  const memory = kib(host.memoryBytes - Object.values(hugePages).reduce((sum, bytes) => sum + bytes, 0));
  const { capacity, allocatable } = extendedResources(facts);
  return {
    capacity: resourcesPatch(before?.status?.capacity, { ...own, ...capacity }) as Record<string, string>,
    allocatable: resourcesPatch(before?.status?.allocatable, { ...own, memory, ...allocatable }) as Record<
      string,
      string
    >,
    conditions: conditionsOf(facts, before, now),
    ...addressesOf(facts),
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

/** What the node has beyond CPUs, memory and disk. */
function extendedResources({ devices, support, dedicableCpus, hasCpuManager = false }: NodeFacts): {
  readonly capacity: Resources;
  readonly allocatable: Resources;
} {
  const ofDevices = deviceResources(devices, support.units);
  const ofCpus = cpuResources(dedicableCpus, hasCpuManager);
  return {
    capacity: { ...ofDevices.capacity, ...ofCpus.capacity },
    allocatable: { ...ofDevices.allocatable, ...ofCpus.allocatable },
  };
}

/** The first is where the node listens, and what is shown of it. */
function addressesOf({
  host,
  endpoint,
  address6,
}: NodeFacts): Pick<NonNullable<Node['status']>, 'addresses' | 'daemonEndpoints'> {
  const internal = [endpoint?.address ?? host.address, ...(address6 === undefined ? [] : [address6])];
  const hostname = endpoint ? endpoint.hostname : host.name;
  return {
    addresses: [
      ...internal.map((address) => ({ type: 'InternalIP', address })),
      ...(hostname === undefined ? [] : [{ type: 'Hostname', address: hostname }]),
    ],
    ...(endpoint && { daemonEndpoints: { kubeletEndpoint: { Port: endpoint.port } } }),
  };
}

/** The addresses of a node, where they are not what the server has. A patch that merges lists cannot tell two of a type apart. */
export function addressesPatch(
  facts: NodeFacts,
  before: Node,
): Pick<NonNullable<Node['status']>, 'addresses'> | undefined {
  const { addresses } = addressesOf(facts);
  return deepEqual(addresses, before.status?.addresses) ? undefined : { addresses };
}

/** The part of the status that follows devices and settings, where it is not what the server has. */
export function supportPatch(
  facts: NodeFacts,
  before: Node,
  now: Date,
): Partial<NonNullable<Node['status']>> | undefined {
  const { support, conditions = [] } = facts;
  const { capacity, allocatable } = extendedResources(facts);
  const changed = {
    capacity: differences(before.status?.capacity, resourcesPatch(before.status?.capacity, capacity)),
    allocatable: differences(before.status?.allocatable, resourcesPatch(before.status?.allocatable, allocatable)),
  };
  const news = [hypervisorCondition(support), ...conditions].flatMap((draft) => {
    const known = conditionOf(before, draft.type);
    const isReported = deepEqual(
      [known?.status, known?.reason, known?.message],
      [draft.status, draft.reason, draft.message],
    );
    return isReported ? [] : withCondition(known && [known], { ...draft, lastHeartbeatTime: timestamp(now) }, now);
  });
  const patch = {
    ...(Object.keys(changed.capacity).length > 0 && { capacity: changed.capacity }),
    ...(Object.keys(changed.allocatable).length > 0 && { allocatable: changed.allocatable }),
    ...(news.length > 0 && { conditions: news }),
  };
  return Object.keys(patch).length > 0 ? patch : undefined;
}

const differences = (
  before: Readonly<Record<string, string | number>> = {},
  after: Record<string, string | null>,
): Record<string, string> =>
  Object.fromEntries(
    Object.entries(after).filter(([name, value]) => (before[name]?.toString() ?? null) !== value),
  ) as Record<string, string>;

function conditionsOf(
  { kvm, support, disk, limits, conditions = [] }: NodeFacts,
  before: Node | undefined,
  now: Date,
): NodeCondition[] {
  const drafts: ConditionDraft[] = [
    ...pressureConditions(disk),
    readyCondition(undefined),
    hypervisorCondition(support),
    kvm.isUsable
      ? { type: 'SoftwareEmulation', status: 'False', reason: 'KvmUsable', message: 'guests run with KVM' }
      : {
          type: 'SoftwareEmulation',
          status: 'True',
          reason: 'KvmNotUsable',
          message: `guests are emulated: ${kvm.reason}`,
        },
    ...(limits ? [limitsCondition(limits)] : []),
    ...conditions,
  ];
  const heartbeat = timestamp(now);
  return drafts.reduce<NodeCondition[]>(
    (all, each) => withCondition(all, { ...each, lastHeartbeatTime: heartbeat }, now),
    before?.status?.conditions ?? [],
  );
}
