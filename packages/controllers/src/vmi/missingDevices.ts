import { conditionOf, type Node, type Persisted, type Pod } from '@vireo/api';
import { DEVICE_PREFIX } from '@vireo/hypervisor';

const MAX_NAMES = 3;
/** What schedulers say of nodes that lack a device, or the name of the hypervisor. */
const HINTS = [DEVICE_PREFIX, 'node affinity/selector'];

/** Which devices a launcher waits for, and where they are missing; nothing where devices are not what it lacks. */
export function missingDevices({ spec }: Persisted<Pod>, nodes: readonly Persisted<Node>[]): string | undefined {
  const limits = spec?.containers.flatMap(({ resources }) => Object.keys(resources?.limits ?? {})) ?? [];
  const texts = [...new Set(limits.filter((name) => name.startsWith(DEVICE_PREFIX)))].flatMap((device) => {
    const having = nodes.filter(({ status }) => status?.capacity?.[device] !== undefined);
    if (having.length === 0) return [`no node offers ${device}`];
    const lacking = having.filter(({ status }) => Number(status?.allocatable?.[device] ?? 0) === 0);
    return lacking.length === 0 ? [] : [`${device} is not available on ${names(lacking)}`];
  });
  return texts.length > 0 ? texts.join('; ') : undefined;
}

function names(nodes: readonly Persisted<Node>[]): string {
  const all = nodes.map(({ metadata }) => metadata.name).sort();
  const more = all.length - MAX_NAMES;
  return more > 0 ? `${all.slice(0, MAX_NAMES).join(', ')} and ${more} more` : all.join(', ');
}

/** Which nodes cannot run the hypervisor that a launcher is for, and why. */
export function notReady(nodes: readonly Persisted<Node>[]): string | undefined {
  const byReason = new Map<string, Persisted<Node>[]>();
  for (const node of nodes) {
    const ready = conditionOf(node, 'HypervisorReady');
    if (ready?.status === 'False')
      byReason.set(ready.message ?? '', [...(byReason.get(ready.message ?? '') ?? []), node]);
  }
  const texts = [...byReason].map(([why, those]) => `VMs cannot start on ${names(those)}: ${why}`);
  return texts.length > 0 ? texts.join('; ') : undefined;
}

/** The launcher, saying which devices are missing on which nodes, or which nodes are not ready, where that keeps it from all of them. */
export function withMissingDevices(pod: Persisted<Pod>, nodes: () => readonly Persisted<Node>[]): Persisted<Pod> {
  const condition = conditionOf(pod, 'PodScheduled');
  if (condition?.status !== 'False' || !HINTS.some((hint) => condition.message?.includes(hint))) return pod;
  const all = nodes();
  const missing = missingDevices(pod, all) ?? notReady(all);
  if (missing === undefined) return pod;
  const conditions = pod.status?.conditions?.map((each) =>
    each.type === 'PodScheduled' ? { ...each, message: `${each.message} ${missing}.` } : each,
  );
  return { ...pod, status: { ...pod.status, conditions } };
}
