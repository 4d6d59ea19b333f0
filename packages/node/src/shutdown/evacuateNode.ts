import { setTimeout as delay } from 'node:timers/promises';
import { ApiError, isReason, type Persisted, Pod } from '@vireo/api';
import { isMigratable, vmiOfLauncher } from '@vireo/api/kinds/kubevirt/eviction.ts';
import { LAUNCHER_SELECTOR, NODE_NAME_LABEL } from '@vireo/api/kinds/kubevirt/names.ts';
import { gracePeriodSecondsOf, isActive, isRunning, Vmi } from '@vireo/api/kinds/kubevirt/vmi.ts';
import { type Client, keyOf } from '@vireo/kube';

export interface NodeEvacuation {
  /** The node that is about to end. Its agent still runs. */
  readonly node: string;
  /** As `system:node:NAME`, which may evict its pods. */
  readonly kubelet: Client;
  /** As `vireo:node:NAME`. */
  readonly client: Client;
  /** How long guests may take to leave; default: the longest of their grace periods. */
  readonly timeoutMs?: number | undefined;
  /** Told at every look, with `namespace/name` of those that are still there. */
  readonly onProgress?: (progress: { total: number; left: readonly string[]; remainingMs: number }) => void;
  readonly pollMs?: number;
}

const POLL_MS = 1_000;
const MOVING = ['LiveMigrate', 'LiveMigrateIfPossible'];
const TOO_MANY_REQUESTS = 429;

/** Whether a guest is moved before its host ends: it can, and its strategy says so. */
export const leavesBeforeEnd = (vmi: Vmi, node: string): boolean =>
  isActive(vmi) &&
  isRunning(vmi) &&
  isMigratable(vmi) &&
  vmi.status?.nodeName === node &&
  MOVING.includes(vmi.spec.evictionStrategy ?? '');

/**
 * Has guests leave a node whose host is about to end, as a drain does, and waits for them. What has not left in time
 * stays, and shuts down with the host. Resolves with `namespace/name` of those that have left.
 */
export async function evacuateNode(options: NodeEvacuation): Promise<readonly string[]> {
  const { node, client, onProgress, pollMs = POLL_MS } = options;
  const leaving = (await vmisOn(client, node)).filter((vmi) => leavesBeforeEnd(vmi, node));
  if (leaving.length === 0) return [];
  const { timeoutMs = Math.max(...leaving.map(gracePeriodSecondsOf)) * 1000 } = options;
  const deadlineMs = Date.now() + timeoutMs;
  await evictLaunchers(leaving, options);
  const names = new Map(leaving.map((vmi) => [vmi.metadata.uid, keyOf(vmi)]));
  for (;;) {
    const there = new Set((await vmisOn(client, node)).filter(isActive).map(({ metadata }) => metadata.uid));
    const left = [...names].filter(([uid]) => there.has(uid)).map(([, name]) => name);
    const remainingMs = deadlineMs - Date.now();
    onProgress?.({ total: leaving.length, left, remainingMs: Math.max(0, remainingMs) });
    if (left.length === 0 || remainingMs <= 0) return [...names.values()].filter((name) => !left.includes(name));
    await delay(Math.min(pollMs, remainingMs));
  }
}

async function vmisOn(client: Client, node: string): Promise<Vmi[]> {
  const { items } = await client.of(Vmi).list({ labelSelector: `${NODE_NAME_LABEL}=${node}` });
  return items.filter(({ status }) => status?.nodeName === node);
}

/** Evictions of guests that move are denied, which has them marked: that is all that is asked for. */
async function evictLaunchers(leaving: readonly Vmi[], { node, kubelet }: NodeEvacuation): Promise<void> {
  const uids = new Set(leaving.map(({ metadata }) => metadata.uid));
  const fieldSelector = `spec.nodeName=${node}`;
  const { items } = await kubelet.of(Pod).list({ fieldSelector, labelSelector: LAUNCHER_SELECTOR });
  const launchers = items.filter((pod) => uids.has(vmiOfLauncher(pod)?.uid ?? ''));
  await Promise.all(launchers.map((pod) => evict(pod, kubelet)));
}

async function evict({ metadata: { name, namespace } }: Persisted<Pod>, kubelet: Client): Promise<void> {
  try {
    await kubelet.of(Pod).createSubresource(name, 'eviction', { metadata: { name, namespace } }, { namespace });
  } catch (error) {
    const isMarked = error instanceof ApiError && error.code === TOO_MANY_REQUESTS;
    if (!isMarked && !isReason(error, 'NotFound')) throw error;
  }
}
