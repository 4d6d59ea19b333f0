import { type Condition, keyOf } from '../../data/kinds.ts';
import type { SetObject } from '../../data/setKinds.ts';
import { type PoolStrategy, poolStrategy } from './poolStrategy.ts';

/** The two kinds that keep a number of equal machines. */
export interface SetKind {
  readonly id: 'replicaset' | 'pool';
  readonly kind: string;
  readonly group: string;
  readonly version: string;
  readonly resource: string;
  /** For people. */
  readonly title: string;
}

export const REPLICA_SETS: SetKind = {
  id: 'replicaset',
  kind: 'VirtualMachineInstanceReplicaSet',
  group: 'kubevirt.io',
  version: 'v1',
  resource: 'virtualmachineinstancereplicasets',
  title: 'replica set',
};

export const POOLS: SetKind = {
  id: 'pool',
  kind: 'VirtualMachinePool',
  group: 'pool.kubevirt.io',
  version: 'v1beta1',
  resource: 'virtualmachinepools',
  title: 'pool',
};

/** The list of a kind; all namespaces if none is given. */
export const setsPath = ({ group, version, resource }: SetKind, namespace: string | undefined): string =>
  `/apis/${group}/${version}/${namespace === undefined ? '' : `namespaces/${encodeURIComponent(namespace)}/`}${resource}`;

/** One of them. */
export const setPath = (kind: SetKind, namespace: string, name: string): string =>
  `${setsPath(kind, namespace)}/${encodeURIComponent(name)}`;

/** Its page. */
export const setHref = ({ id }: SetKind, namespace: string, name: string): string =>
  `/sets/${encodeURIComponent(namespace)}/${encodeURIComponent(name)}${id === 'pool' ? '?kind=pool' : ''}`;

/** What pools put on their VMs and these on their instances; the name of a revision says which pool. */
export const POOL_REVISION_LABEL = 'kubevirt.io/vm-pool-revision-name';

/** A set's own instances and VMs: the lists that hold them, and as little else as selectors can say. */
export interface MemberPaths {
  readonly vmis: string;
  /** Undefined for replica sets, which have no VMs. */
  readonly vms: string | undefined;
}

export function memberPaths(
  kind: SetKind,
  { namespace, selector }: Pick<SetRow, 'namespace' | 'selector'>,
): MemberPaths {
  const list = (resource: string, wanted: string): string =>
    `/apis/kubevirt.io/v1/namespaces/${encodeURIComponent(namespace)}/${resource}${wanted && `?labelSelector=${encodeURIComponent(wanted)}`}`;
  // VMs that have left a pool do not match its selector any more, and are shown, too.
  return kind.id === 'pool'
    ? {
        vmis: list('virtualmachineinstances', POOL_REVISION_LABEL),
        vms: list('virtualmachines', POOL_REVISION_LABEL),
      }
    : { vmis: list('virtualmachineinstances', selector), vms: undefined };
}

/** What the list keeps of a set. */
export interface SetRow {
  readonly key: string;
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
  readonly createdAt: string | undefined;
  readonly isDeleting: boolean;
  readonly isPaused: boolean;
  readonly desired: number;
  /** Those that count, ready or not. */
  readonly current: number;
  readonly ready: number;
  readonly selector: string;
  readonly failures: readonly Failure[];
  /** How it treats its VMs; says something about pools only. */
  readonly strategy: PoolStrategy;
}

/** Something that keeps a set from being what it should be. */
export interface Failure {
  readonly type: string;
  readonly reason: string;
  readonly message: string;
  readonly since: string | undefined;
}

export function setRow(set: SetObject): SetRow {
  const { metadata, spec, status } = set;
  return {
    key: keyOf(set),
    namespace: metadata.namespace ?? '',
    name: metadata.name,
    uid: metadata.uid ?? '',
    createdAt: metadata.creationTimestamp,
    isDeleting: metadata.deletionTimestamp !== undefined,
    isPaused: spec.paused === true,
    desired: spec.replicas ?? 1,
    current: status?.replicas ?? 0,
    ready: status?.readyReplicas ?? 0,
    selector: status?.labelSelector ?? labelsText(spec.selector?.matchLabels),
    failures: (status?.conditions ?? []).flatMap(failureOf),
    strategy: poolStrategy(spec),
  };
}

const FAILING = new Set(['ReplicaFailure', 'SelectorOverlap']);

const failureOf = ({ type, status, reason, message, lastTransitionTime }: Condition): Failure[] =>
  FAILING.has(type) && status === 'True'
    ? [{ type, reason: reason ?? '', message: message ?? '', since: lastTransitionTime }]
    : [];

const labelsText = (labels: Readonly<Record<string, string>> = {}): string =>
  Object.entries(labels)
    .map(([name, value]) => `${name}=${value}`)
    .join(',');

/** How a set is doing, in a word; `tone` is the name of a badge. */
export function setState(set: SetRow): { readonly tone: string; readonly text: string } {
  const { isDeleting, failures, isPaused, desired, current, ready } = set;
  if (isDeleting) return { tone: 'busy', text: 'Being deleted' };
  if (failures.length > 0) return { tone: 'err', text: 'Failing' };
  if (isPaused) return { tone: 'paused', text: 'Paused' };
  if (current < desired) return { tone: 'busy', text: 'Scaling up' };
  if (current > desired) return { tone: 'busy', text: 'Scaling down' };
  if (ready < desired) return { tone: 'busy', text: 'Getting ready' };
  return { tone: 'ok', text: desired === 0 ? 'Empty' : 'Ready' };
}
