import type { KubeObject } from './meta.ts';
import type { Schema } from './schema.ts';

/**
 * A function over objects of one kind. Its parameter is checked loosely, so that `Kind<Pod>` can stand in a list of
 * `Kind`: whoever holds such a list hands each kind only objects of that kind.
 */
export type Reader<T, R, Rest extends readonly unknown[] = []> = { read(object: T, ...rest: Rest): R }['read'];

export type Cell = string | number | boolean | null | undefined;

/** One column of `kubectl get`. Built-in kinds compute the cell; CRDs name a JSONPath. */
export interface Column<T = KubeObject> {
  readonly name: string;
  readonly type: 'string' | 'integer' | 'number' | 'boolean' | 'date';
  readonly format?: string;
  readonly description?: string;
  /** Above 0: shown with `-o wide` only. */
  readonly priority?: number;
  readonly jsonPath?: string;
  readonly value?: Reader<T, Cell, [now: Date]>;
}

export type Verb = 'get' | 'list' | 'watch' | 'create' | 'update' | 'patch' | 'delete' | 'deletecollection';

export const ALL_VERBS: readonly Verb[] = [
  'create',
  'delete',
  'deletecollection',
  'get',
  'list',
  'patch',
  'update',
  'watch',
];

export interface ScaleSubresource {
  readonly specReplicasPath: string;
  readonly statusReplicasPath: string;
  readonly labelSelectorPath?: string;
}

/** A further path below an object, such as `pods/binding`. */
export interface ExtraSubresource {
  readonly name: string;
  readonly verbs: readonly string[];
  /** The kind of its body, where that is not the parent's. */
  readonly kind?: string;
  readonly group?: string;
  readonly version?: string;
  readonly schema?: Schema;
}

/** Everything the server needs to know of one kind in one version. */
export interface Kind<T = KubeObject> {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
  readonly plural: string;
  readonly singular: string;
  readonly listKind: string;
  readonly shortNames: readonly string[];
  readonly categories: readonly string[];
  readonly namespaced: boolean;
  readonly verbs: readonly Verb[];
  readonly schema: Schema<T>;
  /** Whether `status` can be written only through `/status`. */
  readonly status: boolean;
  readonly scale?: ScaleSubresource;
  readonly subresources: readonly ExtraSubresource[];
  /** Columns after NAME, AGE included. Where one of them is called Name, it stands in for the leading NAME (events). */
  readonly columns: readonly Column<T>[];
  /** Field selectors beyond metadata.name and metadata.namespace. */
  readonly selectableFields: Readonly<Record<string, Reader<T, string>>>;
  /** Whether `metadata.generation` counts changes outside metadata and status. */
  readonly generation: boolean;
  /** Create-only kinds that are answered, not stored (reviews). */
  readonly virtual: boolean;
  /** Fills in what a plain per-field default cannot express. Changes `object` in place. */
  readonly applyDefaults?: Reader<T, void>;
}

type KindOptions<T> = Pick<Kind<T>, 'group' | 'version' | 'kind' | 'plural' | 'namespaced' | 'schema'> &
  Partial<Omit<Kind<T>, 'group' | 'version' | 'kind' | 'plural' | 'namespaced' | 'schema'>>;

/**
 * Makes a kind from its schema and what differs from the usual.
 *
 * @example
 * export const Lease = defineKind({
 *   group: 'coordination.k8s.io', version: 'v1', kind: 'Lease', plural: 'leases', namespaced: true,
 *   schema: LeaseSchema,
 *   columns: [{ name: 'Holder', type: 'string', value: (lease) => lease.spec?.holderIdentity }],
 * });
 */
export function defineKind<T>(options: KindOptions<T>): Kind<T> {
  const properties = options.schema.properties ?? {};
  return {
    singular: options.kind.toLowerCase(),
    listKind: `${options.kind}List`,
    shortNames: [],
    categories: [],
    verbs: ALL_VERBS,
    status: 'status' in properties,
    subresources: [],
    columns: [],
    selectableFields: {},
    generation: 'spec' in properties && 'status' in properties,
    virtual: false,
    ...options,
  };
}
