import { Node, type Persisted } from '@vireo/api';
import { type ControllerContext, runController, watch } from '@vireo/kube';
import type { NetworkRanges } from '../../networkRanges.ts';
import { NODE_USER } from '../nodeLifecycle/index.ts';
import { NodeRanges } from './nodeRanges.ts';

export const NODE_IPAM_USER = NODE_USER;

/** Gives each Node a part of the cluster's range for its pods. */
export async function startNodeIpamController(
  context: ControllerContext & { readonly ranges: NetworkRanges },
  signal: AbortSignal,
): Promise<void> {
  const { client, informers, recorder } = context;
  const { clusterCIDR, nodeCIDRMaskSize } = context.ranges;
  const nodes = informers.for(Node);
  const ranges = new NodeRanges(clusterCIDR, nodeCIDRMaskSize);
  /** Given to a Node that does not show it yet, by its uid. */
  const assigned = new Map<string, string>();
  const waiting = new Set<string>();

  function note(node: Persisted<Node>, before: readonly string[] = []): undefined {
    const shown = rangesOf(node).filter((range) => !before.includes(range));
    if (shown.length === 0) return;
    const given = assigned.get(node.metadata.uid);
    for (const range of shown) if (range !== given) ranges.use(range);
    if (given !== undefined && !shown.includes(given)) ranges.release(given);
    assigned.delete(node.metadata.uid);
  }
  function forget(node: Persisted<Node>): string[] {
    const given = assigned.get(node.metadata.uid);
    for (const range of given === undefined ? rangesOf(node) : [given]) ranges.release(range);
    assigned.delete(node.metadata.uid);
    waiting.delete(node.metadata.name);
    return [...waiting];
  }

  await runController(
    {
      name: 'node-ipam',
      for: nodes,
      watches: [
        watch(nodes, {
          added: (node) => note(node),
          updated: (old, node) => note(node, rangesOf(old)),
          deleted: forget,
        }),
      ],
      reconcile: async (key) => {
        const node = nodes.get(key);
        if (!node || rangesOf(node).length > 0 || assigned.has(node.metadata.uid)) {
          waiting.delete(key);
          return;
        }
        const range = ranges.take();
        if (range === undefined) {
          if (!waiting.has(key))
            recorder.event(node, 'Warning', 'CIDRNotAvailable', `Node ${key} status is now: CIDRNotAvailable`);
          waiting.add(key);
          return;
        }
        waiting.delete(key);
        assigned.set(node.metadata.uid, range);
        try {
          await client.of(Node).patchExactly(node, { spec: { podCIDR: range, podCIDRs: [range] } });
        } catch (error) {
          // The informer may have shown that the Node is gone, or has a range, while the write was under way.
          if (assigned.delete(node.metadata.uid)) ranges.release(range);
          throw error;
        }
      },
    },
    context,
    signal,
  );
}

const rangesOf = ({ spec }: Node): readonly string[] => spec?.podCIDRs ?? (spec?.podCIDR ? [spec.podCIDR] : []);
