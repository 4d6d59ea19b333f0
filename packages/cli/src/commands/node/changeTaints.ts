import { isReason, Node, type Persisted } from '@vireo/api';
import type { Client } from '@vireo/kube';

type Taints = NonNullable<NonNullable<Node['spec']>['taints']>;

const TRIES = 20;

/**
 * Changes the taints of a node, which can only be written as a whole: when others write at the same time, as controllers
 * do to a node that has just become silent, it looks again. `change` returns undefined where nothing is to be done.
 */
export async function changeTaints(
  name: string,
  client: Pick<Client, 'of'>,
  change: (node: Persisted<Node>) => Taints | undefined,
): Promise<{ readonly node: Persisted<Node> | undefined; readonly isChanged: boolean }> {
  for (let tried = 1; ; tried += 1) {
    const node = await client.of(Node).find(name);
    const taints = node && change(node);
    if (!node || !taints) return { node, isChanged: false };
    try {
      await client.of(Node).patchIfUnchanged(node, { spec: { taints } });
      return { node, isChanged: true };
    } catch (error) {
      if (!isReason(error, 'Conflict') || tried === TRIES) throw error;
    }
  }
}
