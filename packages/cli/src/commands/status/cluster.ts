import { conditionOf, type EndpointSlice, isConditionTrue, type Lease, type Node, type Persisted } from '@vireo/api';
import type { KubeVirt } from '@vireo/api/kinds/kubevirt/kubeVirt.ts';
import { SCHEDULABLE_LABEL, VERSION_ANNOTATION } from '@vireo/api/kinds/kubevirt/names.ts';
import type { Vmi } from '@vireo/api/kinds/kubevirt/vmi.ts';
import { type NodeNetworkState, networkOf } from '../../readiness.ts';

/** A process that runs a role, as it says itself by its Lease. */
export interface RoleStatus {
  readonly role: 'controllers' | 'extension';
  readonly instance: string;
  /** Whether it has renewed its Lease in time. */
  readonly alive: boolean;
  /** Whether it is the one that acts; missing where all do. */
  readonly leads?: boolean;
  readonly renewedAt?: string;
  /** Where it listens. */
  readonly address?: string;
  readonly version?: string;
}

/** A host that runs VMs. */
export interface NodeStatus {
  readonly name: string;
  readonly ready: boolean;
  /** Why it is not. */
  readonly problem?: string;
  /** Whether an administrator keeps new VMs away. */
  readonly cordoned: boolean;
  /** Whether VMs are placed there. */
  readonly schedulable: boolean;
  readonly vms: number;
  readonly version?: string;
  readonly libvirt?: string;
  /** What it says of the network of its guests. */
  readonly network?: NodeNetworkState;
  /** Where its API listens; missing where it is a part of the server's process. */
  readonly address?: string;
}

/** What the server has of an installation. */
export interface ClusterFacts {
  readonly kubevirt: Persisted<KubeVirt> | undefined;
  readonly leases: readonly Persisted<Lease>[];
  readonly slices: readonly Persisted<EndpointSlice>[];
  readonly nodes: readonly Persisted<Node>[];
  readonly vmis: readonly Vmi[];
  /** What guards VMs and is not there: `KIND NAME`. */
  readonly missingGuards: readonly string[];
  /** By the clock of the server, which the other clocks are more likely to agree with than that of this host. */
  readonly nowMs: number;
}

const LEADER = 'virt-controller';
const EXTENSION = 'virt-api-';

/** The processes that run roles, by their Leases. */
export function rolesOf({ leases, slices, nowMs }: ClusterFacts): RoleStatus[] {
  return leases.flatMap(({ metadata, spec }): RoleStatus[] => {
    const isLeader = metadata.name === LEADER;
    if (!isLeader && !metadata.name.startsWith(EXTENSION)) return [];
    const instance = isLeader ? spec?.holderIdentity : metadata.name.slice(EXTENSION.length);
    // Given up, and nobody has taken it yet.
    if (!instance) return [];
    const renewedMs = Date.parse(spec?.renewTime ?? '');
    const alive = nowMs - renewedMs <= (spec?.leaseDurationSeconds ?? 0) * 1000;
    const slice = slices.find((each) => each.metadata.name === metadata.name);
    const [address] = slice?.endpoints?.[0]?.addresses ?? [];
    const [port] = slice?.ports ?? [];
    const version = metadata.annotations?.[VERSION_ANNOTATION];
    return [
      {
        role: isLeader ? 'controllers' : 'extension',
        instance,
        alive,
        ...(isLeader && { leads: true }),
        ...(spec?.renewTime && { renewedAt: spec.renewTime }),
        ...(address && port?.port !== undefined && { address: hostAndPort(address, port.port) }),
        ...(version && { version }),
      },
    ];
  });
}

const hostAndPort = (address: string, port: number): string =>
  address.includes(':') ? `[${address}]:${port}` : `${address}:${port}`;

/** The hosts that run VMs, without simulated ones. */
export function nodesOf({ nodes, vmis }: ClusterFacts): NodeStatus[] {
  return nodes.flatMap(({ metadata, spec, status }): NodeStatus[] => {
    const libvirt = /^libvirt:\/\/(.*)/.exec(status?.nodeInfo?.containerRuntimeVersion ?? '')?.[1];
    if (libvirt === undefined) return [];
    const ready = conditionOf({ status }, 'Ready');
    const isReady = ready?.status === 'True';
    const isCordoned = spec?.unschedulable === true;
    const internal = status?.addresses?.find(({ type }) => type === 'InternalIP')?.address;
    const port = status?.daemonEndpoints?.kubeletEndpoint?.Port;
    const version = metadata.annotations?.[VERSION_ANNOTATION];
    return [
      {
        name: metadata.name,
        ready: isReady,
        ...(!isReady && { problem: ready?.message || ready?.reason || 'no reason given' }),
        cordoned: isCordoned,
        schedulable: !isCordoned && metadata.labels?.[SCHEDULABLE_LABEL] === 'true',
        vms: vmis.filter((vmi) => vmi.status?.nodeName === metadata.name && vmi.status.phase === 'Running').length,
        ...(version && { version }),
        libvirt,
        ...networkOf({ status }),
        ...(internal && port && { address: hostAndPort(internal, port) }),
      },
    ];
  });
}

/** Why an installation does not do its work; nothing while it does. */
export function problemsOf(
  { kubevirt, missingGuards }: ClusterFacts,
  roles: readonly RoleStatus[],
  nodes: readonly NodeStatus[],
): string[] {
  if (!kubevirt) return ['Vireo is not installed: there is no KubeVirt object. Install it with: vireo install'];
  const available = conditionOf(kubevirt, 'Available');
  const isLed = roles.some(({ leads, alive }) => leads && alive);
  return [
    ...(isLed ? [] : ['no instance of vireo controllers leads']),
    ...(isConditionTrue(kubevirt, 'Available') ? [] : [available?.message || 'the KubeVirt object is not Available']),
    ...(nodes.some(({ ready }) => ready) ? [] : ['no node is ready']),
    ...(missingGuards.length > 0 ? [`missing: ${missingGuards.join(', ')}; \`vireo install\` restores them`] : []),
  ];
}
