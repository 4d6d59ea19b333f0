import { setTimeout as delay } from 'node:timers/promises';
import { ApiError, isReason, Node, type Persisted, Pod } from '@vireo/api';
import { CORDONED_FOR_SHUTDOWN_ANNOTATION, isMigratable, vmiOfLauncher } from '@vireo/api/kinds/kubevirt/eviction.ts';
import { KubeVirt } from '@vireo/api/kinds/kubevirt/kubeVirt.ts';
import { KUBEVIRT_NAMESPACE, LAUNCHER_SELECTOR, NODE_NAME_LABEL } from '@vireo/api/kinds/kubevirt/names.ts';
import { gracePeriodSecondsOf, isActive, isRunning, Vmi } from '@vireo/api/kinds/kubevirt/vmi.ts';
import { clusterConfig } from '@vireo/hypervisor';
import { type Client, keyOf } from '@vireo/kube';

export interface NodeEvacuation {
  /** The nodes of the host that is about to end. Their agents still run. */
  readonly nodes: readonly string[];
  /** As `system:node:NAME`, which may evict the pods of its node, or as somebody who may evict all. */
  readonly kubelet: Client;
  /** As `vireo:node:NAME`. */
  readonly client: Client;
  /** How long guests may take to leave; default: the longest of their grace periods. */
  readonly timeoutMs?: number | undefined;
  /** Told at every look, with `namespace/name` of those that are still there. */
  readonly onProgress?: (progress: { total: number; left: readonly string[]; remainingMs: number }) => void;
  /** Told of each that cannot be asked to leave, and why: it stays, and nobody waits for it. */
  readonly onFailure?: (name: string, reason: string) => void;
  readonly pollMs?: number;
}

const POLL_MS = 1_000;
const MOVING = ['LiveMigrate', 'LiveMigrateIfPossible'];
const TOO_MANY_REQUESTS = 429;

/** Whether a guest is moved before its host ends: it can, and its strategy or the cluster's says so. */
const leavesBeforeEnd = (vmi: Vmi, fallback: string): boolean =>
  isActive(vmi) && isRunning(vmi) && isMigratable(vmi) && MOVING.includes(vmi.spec.evictionStrategy ?? fallback);

/** What became of the guests that were to leave, as `namespace/name`. */
export interface EvacuationResult {
  readonly moved: readonly string[];
  /** Those that were asked and are still there. */
  readonly late: readonly string[];
}

/**
 * Has guests leave the nodes of a host that is about to end, as a drain does, and waits for them. What has not left in
 * time stays, and shuts down with the host. Until they start again, the nodes get no guests: not those of another host
 * that ends at the same time either.
 */
export async function evacuateNode(options: NodeEvacuation): Promise<EvacuationResult> {
  const { nodes, client, kubelet, onProgress, onFailure, pollMs = POLL_MS } = options;
  const here = async (): Promise<Vmi[]> => (await Promise.all(nodes.map((node) => vmisOn(client, node)))).flat();
  await Promise.all(nodes.map((node) => cordon(node, kubelet)));
  const strategy = await clusterStrategy(client);
  const movable = (await here()).filter((vmi) => leavesBeforeEnd(vmi, strategy));
  const failures = await evictLaunchers(movable, options);
  const leaving = movable.filter((vmi) => {
    const reason = failures.get(vmi.metadata.uid);
    if (reason !== undefined) onFailure?.(keyOf(vmi), reason);
    return reason === undefined;
  });
  if (leaving.length === 0) return { moved: [], late: [] };
  const { timeoutMs = Math.max(...leaving.map(gracePeriodSecondsOf)) * 1000 } = options;
  const deadlineMs = Date.now() + timeoutMs;
  const names = new Map(leaving.map((vmi) => [vmi.metadata.uid, keyOf(vmi)]));
  for (;;) {
    const there = new Set((await here()).filter(isActive).map(({ metadata }) => metadata.uid));
    const left = [...names].filter(([uid]) => there.has(uid)).map(([, name]) => name);
    const remainingMs = deadlineMs - Date.now();
    onProgress?.({ total: leaving.length, left, remainingMs: Math.max(0, remainingMs) });
    if (left.length === 0 || remainingMs <= 0)
      return { moved: [...names.values()].filter((name) => !left.includes(name)), late: left };
    await delay(Math.min(pollMs, remainingMs));
  }
}

/** A node that somebody else has cordoned stays so. */
async function cordon(name: string, kubelet: Client): Promise<void> {
  const nodes = kubelet.of(Node);
  const { spec } = await nodes.get(name);
  if (spec?.unschedulable) return;
  const metadata = { annotations: { [CORDONED_FOR_SHUTDOWN_ANNOTATION]: 'true' } };
  await nodes.patch(name, { metadata, spec: { unschedulable: true } }, { type: 'merge' });
}

/** What VMIs do that do not say it. */
async function clusterStrategy(client: Client): Promise<string> {
  return clusterConfig((await client.of(KubeVirt).list({ namespace: KUBEVIRT_NAMESPACE })).items[0]).evictionStrategy;
}

async function vmisOn(client: Client, node: string): Promise<Vmi[]> {
  const { items } = await client.of(Vmi).list({ labelSelector: `${NODE_NAME_LABEL}=${node}` });
  return items.filter(({ status }) => status?.nodeName === node);
}

/**
 * Evictions of guests that move are denied, which has them marked: that is all that is asked for. Resolves with why
 * others failed, by the uid of the VMI.
 */
async function evictLaunchers(
  leaving: readonly Vmi[],
  { nodes, kubelet }: NodeEvacuation,
): Promise<ReadonlyMap<string, string>> {
  const failures = new Map<string, string>();
  if (leaving.length === 0) return failures;
  const uids = new Set(leaving.map(({ metadata }) => metadata.uid));
  const lists = await Promise.all(
    nodes.map((node) =>
      kubelet.of(Pod).list({ fieldSelector: `spec.nodeName=${node}`, labelSelector: LAUNCHER_SELECTOR }),
    ),
  );
  await Promise.all(
    lists
      .flatMap(({ items }) => items)
      .map(async (pod) => {
        const uid = vmiOfLauncher(pod)?.uid ?? '';
        const reason = uids.has(uid) ? await evict(pod, kubelet) : undefined;
        if (reason !== undefined) failures.set(uid, reason);
      }),
  );
  return failures;
}

/** Asks a launcher to leave; why that is not possible, if so. */
async function evict({ metadata: { name, namespace } }: Persisted<Pod>, kubelet: Client): Promise<string | undefined> {
  try {
    await kubelet.of(Pod).createSubresource(name, 'eviction', { metadata: { name, namespace } }, { namespace });
    return undefined;
  } catch (error) {
    const isMarked = error instanceof ApiError && error.code === TOO_MANY_REQUESTS;
    if (isMarked || isReason(error, 'NotFound')) return undefined;
    return error instanceof Error ? error.message : String(error);
  }
}
