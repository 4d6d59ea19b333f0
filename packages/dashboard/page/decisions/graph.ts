import type { GraphNode } from '../data/kinds.ts';

/** A line of the tree of what a VM depends on. */
export interface GraphLine {
  readonly key: string;
  readonly depth: number;
  readonly group: string;
  readonly kind: string;
  readonly name: string;
  readonly namespace: string | undefined;
  /** Forbidden is not missing: who may not look does not know. */
  readonly status: 'present' | 'missing' | 'forbidden';
  readonly isOptional: boolean;
  readonly fieldPath: string | undefined;
  readonly isTruncated: boolean;
}

/** The tree as lines, from the root down. A status that is not known counts as present: the server names the object. */
export function graphLines(root: GraphNode, depth = 0, path = '0'): GraphLine[] {
  const { objectReference: object, status, optional = false, fieldPath, truncated = false, children = [] } = root;
  const line: GraphLine = {
    key: path,
    depth,
    group: object.apiGroup ?? '',
    kind: object.kind,
    name: object.name,
    namespace: object.namespace,
    status: status === 'missing' || status === 'forbidden' ? status : 'present',
    isOptional: optional,
    fieldPath,
    isTruncated: truncated,
  };
  return [line, ...children.flatMap((child, index) => graphLines(child, depth + 1, `${path}.${index}`))];
}
