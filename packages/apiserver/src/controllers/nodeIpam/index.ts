import { Node, type Persisted } from '@vireo/api';
import { NODE_CIDR_MASK_SIZE_V6 } from '@vireo/api/kinds/kubevirt/networkConfig.ts';
import { type ControllerContext, runController, watch } from '@vireo/kube';
import type { NetworkRanges } from '../../networkRanges.ts';
import { NODE_USER } from '../nodeLifecycle/index.ts';
import { NodeRanges } from './nodeRanges.ts';

export const NODE_IPAM_USER = NODE_USER;

/** Gives each Node a part of the cluster's range for its pods: of each family that the cluster has, IPv4 first. */
export async function startNodeIpamController(
  context: ControllerContext & { readonly ranges: NetworkRanges },
  signal: AbortSignal,
): Promise<void> {
  const { client, informers, recorder } = context;
  const { clusterCIDR, clusterCIDRv6, nodeCIDRMaskSize } = context.ranges;
  const nodes = informers.for(Node);
  const families = [
    new NodeRanges(clusterCIDR, nodeCIDRMaskSize),
    ...(clusterCIDRv6 ? [new NodeRanges(clusterCIDRv6, NODE_CIDR_MASK_SIZE_V6)] : []),
  ];
  const use = (range: string): void => {
    for (const family of families) family.use(range);
  };
  const release = (range: string): void => {
    for (const family of families) family.release(range);
  };
  /** Given to a Node that does not show it yet, by its uid. */
  const assigned = new Map<string, readonly string[]>();
  const waiting = new Set<string>();

  function note(node: Persisted<Node>, before: readonly string[] = []): undefined {
    const shown = rangesOf(node).filter((range) => !before.includes(range));
    if (shown.length === 0) return;
    const given = assigned.get(node.metadata.uid) ?? [];
    for (const range of shown) if (!given.includes(range)) use(range);
    for (const range of given) if (!shown.includes(range)) release(range);
    assigned.delete(node.metadata.uid);
  }
  function forget(node: Persisted<Node>): string[] {
    for (const range of assigned.get(node.metadata.uid) ?? rangesOf(node)) release(range);
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
        const taken = families.map((each) => each.take());
        const given = taken.filter((range) => range !== undefined);
        const [podCIDR] = given;
        if (podCIDR === undefined || given.length < taken.length) {
          given.forEach(release);
          if (!waiting.has(key))
            recorder.event(node, 'Warning', 'CIDRNotAvailable', `Node ${key} status is now: CIDRNotAvailable`);
          waiting.add(key);
          return;
        }
        waiting.delete(key);
        assigned.set(node.metadata.uid, given);
        try {
          await client.of(Node).patchExactly(node, { spec: { podCIDR, podCIDRs: given } });
        } catch (error) {
          // The informer may have shown that the Node is gone, or has a range, while the write was under way.
          if (assigned.delete(node.metadata.uid)) given.forEach(release);
          throw error;
        }
      },
    },
    context,
    signal,
  );
}

const rangesOf = ({ spec }: Node): readonly string[] => spec?.podCIDRs ?? (spec?.podCIDR ? [spec.podCIDR] : []);
