import { type Lease, type Node, type NodeCondition, type Taint, timestamp } from '@vireo/api';

/** How long a node may stay silent before it counts as lost. */
export const GRACE_MS = 50_000;

const PREFIX = 'node.kubernetes.io/';

/** Taints that follow from conditions: which condition, in which state, makes which taint. */
const FROM_CONDITIONS: readonly { type: string; status: string; key: string; effects: readonly string[] }[] = [
  { type: 'Ready', status: 'False', key: `${PREFIX}not-ready`, effects: ['NoSchedule', 'NoExecute'] },
  { type: 'Ready', status: 'Unknown', key: `${PREFIX}unreachable`, effects: ['NoSchedule', 'NoExecute'] },
  { type: 'MemoryPressure', status: 'True', key: `${PREFIX}memory-pressure`, effects: ['NoSchedule'] },
  { type: 'DiskPressure', status: 'True', key: `${PREFIX}disk-pressure`, effects: ['NoSchedule'] },
  { type: 'PIDPressure', status: 'True', key: `${PREFIX}pid-pressure`, effects: ['NoSchedule'] },
  { type: 'NetworkUnavailable', status: 'True', key: `${PREFIX}network-unavailable`, effects: ['NoSchedule'] },
];
const CORDON = `${PREFIX}unschedulable`;
const OURS: ReadonlySet<string> = new Set([...FROM_CONDITIONS.map(({ key }) => key), CORDON]);

/** The taints that the node should have; undefined where it has them already. Those of others stay. */
export function nodeTaints({ spec, status }: Node, now: Date): Taint[] | undefined {
  const current = spec?.taints ?? [];
  const wanted = new Map<string, Taint>();
  const want = (key: string, effect: string) => {
    const known = current.find((taint) => taint.key === key && taint.effect === effect);
    const timeAdded = effect === 'NoExecute' ? { timeAdded: timestamp(now) } : {};
    wanted.set(`${key}:${effect}`, known ?? { key, effect, ...timeAdded });
  };
  for (const { type, status: state, key, effects } of FROM_CONDITIONS)
    if (status?.conditions?.some((condition) => condition.type === type && condition.status === state))
      for (const effect of effects) want(key, effect);
  if (spec?.unschedulable) want(CORDON, 'NoSchedule');
  // Before a node has said anything, the taint that it was admitted with stands.
  const isSilent = !status?.conditions?.some(({ type }) => type === 'Ready');
  const kept = current.filter(({ key }) => !OURS.has(key) || (isSilent && key === `${PREFIX}not-ready`));
  for (const { key, effect } of kept) wanted.delete(`${key}:${effect}`);
  const taints = [...kept, ...wanted.values()];
  const names = (list: readonly Taint[]) =>
    list
      .map(({ key, effect }) => `${key}:${effect}`)
      .sort()
      .join();
  return names(taints) === names(current) ? undefined : taints;
}

/**
 * Until when the node counts as alive; undefined for one that sends no heartbeats. Before we listened it could not be
 * heard: after a start of ours its last word may be hours old, and it is about to speak.
 */
export function aliveUntilMs(lease: Lease | undefined, listeningSinceMs: number): number | undefined {
  const renewTime = lease?.spec?.renewTime;
  return renewTime ? Math.max(Date.parse(renewTime), listeningSinceMs) + GRACE_MS : undefined;
}

const KUBELET_CONDITIONS = ['Ready', 'MemoryPressure', 'DiskPressure', 'PIDPressure'];

/** The conditions to write when a node has fallen silent; undefined where it already says so. */
export function silentConditions({ status }: Node, now: Date): NodeCondition[] | undefined {
  const conditions = status?.conditions ?? [];
  const changed = conditions.filter(
    ({ type, status: state }) => KUBELET_CONDITIONS.includes(type) && state !== 'Unknown',
  );
  if (changed.length === 0) return undefined;
  return changed.map((condition) => ({
    ...condition,
    status: 'Unknown',
    reason: 'NodeStatusUnknown',
    message: 'Kubelet stopped posting node status.',
    lastTransitionTime: timestamp(now),
  }));
}
