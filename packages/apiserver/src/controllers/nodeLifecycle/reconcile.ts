import { type Lease, Node, type Persisted } from '@vireo/api';
import type { Client } from '@vireo/kube';
import { aliveUntilMs, nodeTaints, silentConditions } from './status.ts';

/** Brings conditions and taints of a node in line; says when it would have to be looked at for its silence. */
export async function reconcileNode(
  node: Persisted<Node>,
  lease: Lease | undefined,
  client: Client,
  now: Date,
  listeningSinceMs: number,
): Promise<{ requeueAfterMs: number } | undefined> {
  const { name } = node.metadata;
  const aliveUntil = aliveUntilMs(lease, listeningSinceMs);
  const conditions = aliveUntil !== undefined && aliveUntil <= now.getTime() ? silentConditions(node, now) : undefined;
  // The new status comes back as a change of the node; the taints follow then.
  if (conditions) {
    await client.of(Node).patchStatus(name, { status: { conditions } }, { type: 'strategic' });
    return undefined;
  }
  const taints = nodeTaints(node, now);
  if (taints) await client.of(Node).patchIfUnchanged(node, { spec: { taints } });
  const restMs = aliveUntil === undefined ? 0 : aliveUntil - now.getTime();
  return restMs > 0 ? { requeueAfterMs: restMs } : undefined;
}
