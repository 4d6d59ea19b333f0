import type { Condition } from '../../data/kinds.ts';
import type { NodeObject } from '../../data/nodeKinds.ts';
import type { Check } from '../conditions.ts';
import { bytesOf } from '../quantity.ts';

/** Harvester's maintenance of a node, as its annotations say. */
export type Maintenance = 'none' | 'entering' | 'on';

/** What the list of nodes shows of one. */
export interface NodeRow {
  readonly name: string;
  readonly createdAt: string | undefined;
  readonly isReady: boolean;
  /** Why it is not ready. */
  readonly notReady: string | undefined;
  readonly isCordoned: boolean;
  readonly takesGuests: boolean;
  readonly maintenance: Maintenance;
  readonly hypervisor: string | undefined;
  readonly virtType: string | undefined;
  readonly cpus: number;
  readonly memoryBytes: number;
  readonly version: string;
  readonly address: string | undefined;
}

export function nodeRow(node: NodeObject): NodeRow {
  const { metadata, spec, status } = node;
  const { labels = {} } = metadata;
  const ready = status?.conditions?.find(({ type }) => type === 'Ready');
  return {
    name: metadata.name,
    createdAt: metadata.creationTimestamp,
    isReady: ready?.status === 'True',
    notReady: ready?.status === 'True' ? undefined : (ready?.message ?? 'It does not report.'),
    isCordoned: spec?.unschedulable === true,
    takesGuests: labels['kubevirt.io/schedulable'] === 'true',
    maintenance: maintenanceOf(metadata.annotations),
    hypervisor: labels['hypervisor.node.kubevirt.io/name'],
    virtType: labels['hypervisor.node.kubevirt.io/virt-type'],
    cpus: cpusOf(status?.allocatable?.cpu),
    memoryBytes: bytesOf(status?.allocatable?.memory) ?? 0,
    version: status?.nodeInfo?.kubeletVersion ?? '–',
    address: status?.addresses?.find(({ type }) => type === 'InternalIP')?.address,
  };
}

function maintenanceOf(annotations: Readonly<Record<string, string>> = {}): Maintenance {
  if (annotations['harvesterhci.io/maintain-status'] === 'completed') return 'on';
  return annotations['harvesterhci.io/maintain-status'] !== undefined ||
    annotations['harvesterhci.io/drain-requested'] !== undefined
    ? 'entering'
    : 'none';
}

/** `2`, `1500m`: as processors. */
export function cpusOf(quantity: string | undefined): number {
  const [, digits, milli] = /^(\d+(?:\.\d+)?)(m?)$/.exec(quantity ?? '') ?? [];
  return digits === undefined ? 0 : Number(digits) / (milli ? 1000 : 1);
}

/** Badges of a node: what matters first. */
export function nodeBadges(node: NodeRow): { tone: string; text: string; title?: string | undefined }[] {
  return [
    node.isReady ? { tone: 'ok', text: 'Ready' } : { tone: 'err', text: 'Not ready', title: node.notReady },
    ...(node.maintenance === 'on' ? [{ tone: 'paused', text: 'Maintenance' }] : []),
    ...(node.maintenance === 'entering' ? [{ tone: 'busy', text: 'Entering maintenance' }] : []),
    ...(node.isCordoned && node.maintenance === 'none' ? [{ tone: 'warn', text: 'Cordoned' }] : []),
    ...(node.isReady && !node.takesGuests ? [{ tone: 'warn', text: 'Takes no guests' }] : []),
  ];
}

/** What runs guests: `KVM`, `emulation`, or the hypervisor's own name. */
export function hypervisorText({ hypervisor, virtType }: Pick<NodeRow, 'hypervisor' | 'virtType'>): string {
  if (hypervisor === undefined) return virtType ?? 'none';
  if (hypervisor === 'kvm') return 'KVM';
  return hypervisor === 'qemu' ? 'QEMU, emulation without KVM' : hypervisor;
}

/** Devices that guests can ask for. What is not allocatable any more is there, and cannot be used. */
export function devicesOf({ status }: NodeObject): { name: string; allocatable: string; capacity: string }[] {
  const { capacity = {}, allocatable = {} } = status ?? {};
  return Object.keys({ ...capacity, ...allocatable })
    .filter((name) => name.includes('/'))
    .sort()
    .map((name) => ({ name, allocatable: allocatable[name] ?? '0', capacity: capacity[name] ?? '0' }));
}

const WANTED = new Set(['Ready', 'HypervisorReady']);
const UNWANTED = new Set(['DiskPressure', 'FirewallConflict', 'MemoryPressure', 'NetworkUnavailable', 'PIDPressure']);

/** Conditions of nodes in words: a pressure is bad when true. Of those that are not known, only what they say is told. */
export function nodeChecks(conditions: readonly Condition[] = []): Check[] {
  const rank = { bad: 0, good: 1, neutral: 2 };
  return conditions
    .map(({ type, status, reason, message, lastTransitionTime }) => ({
      type,
      verdict: verdictOf(type, status),
      text: [status === 'True' ? 'yes' : status === 'False' ? 'no' : 'unknown', message || reason]
        .filter(Boolean)
        .join(' · '),
      since: lastTransitionTime,
    }))
    .sort((a, b) => rank[a.verdict] - rank[b.verdict] || (a.type < b.type ? -1 : 1));
}

function verdictOf(type: string, status: string): Check['verdict'] {
  if (WANTED.has(type)) return status === 'True' ? 'good' : 'bad';
  if (UNWANTED.has(type)) return status === 'False' ? 'good' : 'bad';
  return 'neutral';
}
