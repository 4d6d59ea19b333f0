import { distinctNodes, type ObjectGraphNode } from '@vireo/api/kinds/kubevirt/objectGraph.ts';
import { TYPE_LABEL } from './filter.ts';
import { type GraphNode, nodeKey } from './graph.ts';
import { dependencyType } from './kinds.ts';
import type { Format } from './options.ts';

/** A graph in one of the forms that clients know. */
export function render(root: GraphNode, format: Format): object {
  switch (format) {
    case 'tree':
      return tree(root);
    case 'hierarchical':
      return nodeList(root.children.map(hierarchical));
    case 'flat':
      return nodeList(flatNodes(root).map(flat));
  }
}

/** As KubeVirt's clients decode it, with three fields more that they pass over: `status`, `truncated` and `fieldPath`. */
function tree({ kind, name, namespace, fieldPath, isOptional, status, isCut, children }: GraphNode): ObjectGraphNode {
  return {
    objectReference: { apiGroup: kind.group, kind: kind.kind, name, namespace },
    labels: { [TYPE_LABEL]: dependencyType(kind) },
    ...(isOptional && { optional: true }),
    status,
    ...(isCut && { truncated: true }),
    ...(fieldPath && { fieldPath }),
    ...(children.length > 0 && { children: children.map(tree) }),
  };
}

/** The list forms wear no version: they are answers, and no objects that a server keeps. */
const nodeList = (items: readonly object[]) => ({ items });

const reference = ({ kind, name, namespace }: GraphNode) => ({
  apiGroup: kind.group,
  kind: kind.plural,
  name,
  namespace,
});

/** What is there for computing is the VM itself: it has no type in the list forms. */
const typeOf = ({ kind }: GraphNode): string => {
  const type = dependencyType(kind);
  return type === 'compute' ? '' : type;
};

/** Said only of what a restore has to mind. */
const absence = ({ status }: GraphNode) => (status === 'present' ? {} : { status });

function hierarchical(node: GraphNode): object {
  const type = typeOf(node);
  return {
    objectReference: reference(node),
    labels: type ? { type } : {},
    optional: node.isOptional,
    ...absence(node),
    ...(node.isCut && { truncated: true }),
    children: node.children.map(hierarchical),
  };
}

const flat = (node: GraphNode): object => ({
  objectReference: reference(node),
  labels: {
    type: typeOf(node),
    optional: String(node.isOptional),
    ...absence(node),
    ...(node.isCut && { truncated: 'true' }),
  },
});

/**
 * Every object once, parents before children. It is optional only where nothing needs it for certain, and cut off only
 * where nothing else shows what it depends on.
 */
export const flatNodes = (root: GraphNode): readonly GraphNode[] =>
  distinctNodes(root, nodeKey, (first, again) => ({
    ...first,
    isOptional: first.isOptional && again.isOptional,
    isCut: first.isCut === true && again.isCut === true,
  }));
