import { isObject, type JsonObject, own } from '@vireo/api/json.ts';
import type { ResourceRef } from '@vireo/kube';
import { graphKind } from './kinds.ts';

/** How a kind says that it needs another object: where the name stands, and whose name it is. */
export interface Reference {
  /** Path of the name; `[]` stands for every item of a list. */
  readonly at: string;
  /** `typed`: the fields `apiGroup` and `kind` beside the name say it. */
  readonly to: ResourceRef | 'typed';
  /** Field beside the name that holds the namespace; default: the object's own. */
  readonly namespaceIn?: string;
  /** Whether the name may be written `namespace/name`. */
  readonly isQualified?: boolean;
  /** Whether the VM can do without; `beside` holds the name, `object` all of it. Default: it cannot. */
  readonly isOptional?: (beside: JsonObject, object: JsonObject) => boolean;
}

/** References that are read together, item by item of a list where `each` names one. */
export interface Section {
  readonly each?: string;
  readonly references: readonly Reference[];
}

/** An object that another one needs. */
export interface Needed {
  readonly kind: ResourceRef;
  readonly name: string;
  /** Empty for kinds of the whole cluster. */
  readonly namespace: string;
  /** The field that says so. */
  readonly fieldPath: string;
  readonly isOptional: boolean;
}

/** What an object needs by its declarations, in their order. `base`: where in the object their paths start. */
export function neededBy(
  object: JsonObject,
  namespace: string,
  sections: readonly Section[],
  base = '',
): readonly Needed[] {
  return sections.flatMap(({ each, references }) => {
    const items = valuesAt({ value: object, path: '' }, join(base, each ?? ''));
    return items.flatMap((item) =>
      references.flatMap((reference) =>
        valuesAt(item, reference.at).flatMap((found) => resolve(reference, found, object, namespace)),
      ),
    );
  });
}

interface Place {
  readonly value: unknown;
  readonly path: string;
  /** The object that has the value as a field. */
  readonly parent?: JsonObject;
}

function resolve(
  reference: Reference,
  { value, path, parent = {} }: Place,
  object: JsonObject,
  home: string,
): Needed[] {
  const { to, namespaceIn, isQualified, isOptional } = reference;
  const kind = to === 'typed' ? graphKind(text(parent.apiGroup), text(parent.kind)) : to;
  if (!kind || typeof value !== 'string' || value === '') return [];
  const slash = isQualified ? value.indexOf('/') : -1;
  const namespaceName = slash >= 0 ? value.slice(0, slash) : namespaceIn ? text(parent[namespaceIn]) : '';
  return [
    {
      kind,
      name: value.slice(slash + 1),
      namespace: kind.namespaced ? namespaceName || home : '',
      fieldPath: path,
      isOptional: isOptional?.(parent, object) ?? false,
    },
  ];
}

const text = (value: unknown): string => (typeof value === 'string' ? value : '');

const join = (...parts: readonly string[]): string => parts.filter(Boolean).join('.');

/** Every value that a path leads to. */
function valuesAt(start: Place, path: string): readonly Place[] {
  if (path === '') return [start];
  return path.split('.').reduce<readonly Place[]>((places, segment) => places.flatMap(step(segment)), [start]);
}

const step =
  (segment: string) =>
  ({ value, path }: Place): readonly Place[] => {
    if (!isObject(value)) return [];
    const isList = segment.endsWith('[]');
    const key = isList ? segment.slice(0, -2) : segment;
    const next = own(value, key);
    const at = join(path, key);
    if (next === undefined || next === null) return [];
    if (!isList) return [{ value: next, path: at, parent: value }];
    return Array.isArray(next) ? next.map((item, i) => ({ value: item, path: `${at}[${i}]`, parent: value })) : [];
  };
