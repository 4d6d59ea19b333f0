import { boolean, type Infer, list, map, oneOf, recursive, type Schema, string, struct } from '../../schema.ts';
import { type TypedObjectReference, TypedObjectReference as TypedObjectReferenceSchema } from '../core/references.ts';
import { optional, required } from '../customResource.ts';
import { LabelSelector } from '../meta/selectors.ts';

export const ObjectGraphOptions = struct(
  'io.kubevirt.v1.ObjectGraphOptions',
  'Selects the objects of a graph to show.',
  {
    includeOptionalNodes: optional(boolean, 'Whether to show objects that the VM can run without. Defaults to true.'),
    labelSelector: optional(LabelSelector, 'Labels of the nodes to show.'),
  },
);
export interface ObjectGraphOptions extends Infer<typeof ObjectGraphOptions> {}

export interface ObjectGraphNode {
  apiVersion?: string;
  kind?: string;
  objectReference: TypedObjectReference;
  labels?: Record<string, string>;
  optional?: boolean;
  status?: 'present' | 'missing' | 'forbidden';
  truncated?: boolean;
  fieldPath?: string;
  children?: ObjectGraphNode[];
}

export const ObjectGraphNode: Schema<ObjectGraphNode> = struct(
  'io.kubevirt.v1.ObjectGraphNode',
  'An object that a VM depends on, with its own dependencies.',
  {
    apiVersion: optional(string, 'Group and version of the object.'),
    children: optional(
      list(
        recursive<ObjectGraphNode>(() => ObjectGraphNode),
        'atomic',
      ),
      'Objects that this object depends on.',
    ),
    fieldPath: optional(string, "Field that refers to the object, or the object's own field that refers to the VM."),
    kind: optional(string, 'Kind of the object.'),
    labels: optional(map(string), 'Purpose of the object: storage, compute, network or config.'),
    objectReference: required(TypedObjectReferenceSchema, 'Reference to the object.'),
    optional: optional(boolean, 'Whether the VM can run without the object.'),
    status: optional(
      oneOf('present', 'missing', 'forbidden'),
      'Whether the object exists. forbidden if the user may not read it.',
    ),
    truncated: optional(boolean, 'Whether further dependencies are too deep to be shown.'),
  },
);

/** The nodes below the root, each once and parents before children; `merge` makes one of two of the same key. */
export function distinctNodes<T extends { readonly children?: readonly T[] }>(
  root: T,
  keyOf: (node: T) => string,
  merge: (first: T, again: T) => T,
): readonly T[] {
  const seen = new Map<string, T>();
  const visit = (node: T): void => {
    const key = keyOf(node);
    const first = seen.get(key);
    seen.set(key, first ? merge(first, node) : node);
    node.children?.forEach(visit);
  };
  root.children?.forEach(visit);
  return [...seen.values()];
}
