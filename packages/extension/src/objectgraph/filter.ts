import type { GraphNode } from './graph.ts';
import { dependencyType, kindKey } from './kinds.ts';
import type { NodeFilter } from './options.ts';

/** KubeVirt's label for what a node is there for. */
export const TYPE_LABEL = 'kubevirt.io/dependency-type';

/**
 * The graph without what was not asked for; the root always stays. What is optional or not selected goes with all below
 * it, as in KubeVirt. A kind that was not asked for goes alone, and what is below it moves up: a claim is wanted
 * wherever it stands.
 */
export function filterGraph(root: GraphNode, filter: NodeFilter): GraphNode {
  const { includesOptional, selector, kinds, depth } = filter;
  const keep = (nodes: readonly GraphNode[], level: number): readonly GraphNode[] => {
    if (level > depth) return [];
    return nodes.filter(isWanted).flatMap((node) => {
      if (kinds && !kinds.has(kindKey(node.kind))) return keep(node.children, level);
      return [{ ...node, children: keep(node.children, level + 1) }];
    });
  };
  const isWanted = (node: GraphNode): boolean => {
    const type = dependencyType(node.kind);
    return (includesOptional || !node.isOptional) && selector.matches({ [TYPE_LABEL]: type, type });
  };
  return { ...root, children: keep(root.children, 1) };
}
