import type { FieldError, Persisted, UnknownObject } from '@vireo/api';
import type { UserInfo } from '@vireo/kube';

/**
 * What a kind does beyond its schema when it is written. Everything is optional; most kinds need little.
 * Drafts are private copies and changed in place; stored objects are frozen.
 */
export interface Strategy {
  /** How names are checked; default `subdomain`. */
  readonly nameRule?: NameRule;
  /** Whether PUT without resourceVersion overwrites whatever is there; default true for built-in kinds. */
  readonly unconditionalUpdate?: boolean;
  /** Whether PUT on a missing name creates it. */
  readonly createOnUpdate?: boolean;

  /** Sets what only the server decides (status, allocated values) after the defaults and before validation. */
  prepareForCreate?(draft: UnknownObject, context: StrategyContext): void;
  /** Undoes what this write must not change; `subresource` is '' for the object itself. */
  prepareForUpdate?(draft: UnknownObject, old: UnknownObject, context: StrategyContext): void;
  /** Errors of the object by itself; runs on create and update. Schema errors are found elsewhere. */
  validate?(object: UnknownObject, context: StrategyContext): FieldError[];
  /** Errors of this change, such as immutable fields. */
  validateUpdate?(object: UnknownObject, old: UnknownObject, context: StrategyContext): FieldError[];
  /** Deprecated or risky use; shown as `Warning:` by kubectl. */
  warnings?(object: UnknownObject, context: StrategyContext): string[];

  /** Seconds the object is given to end by itself; 0 or undefined: it goes at once. */
  graceSeconds?(object: UnknownObject, requested: number | undefined): number | undefined;
  /** Whether the beginning of a deletion shows in its time alone, and not in the grace period and the generation. */
  readonly plainDeletion?: boolean;
  /** Marks an object whose deletion has begun (a namespace turns Terminating). */
  beginDelete?(draft: UnknownObject): void;
  /** Whether something besides metadata.finalizers keeps a deleted object (a namespace's spec.finalizers). */
  holdsDeletion?(object: UnknownObject): boolean;
}

export type NameRule = 'subdomain' | 'label' | 'path';

export interface StrategyContext {
  readonly user: UserInfo;
  /** '' for the object itself, else `status`, `scale`, `binding` … */
  readonly subresource: string;
  /** Objects as they are stored now, for checks across objects and allocation. */
  readonly lookup: Lookup;
}

/** Synchronous reads of the store. Objects are frozen. */
export interface Lookup {
  get(
    group: string,
    resource: string,
    namespace: string | undefined,
    name: string,
  ): Persisted<UnknownObject> | undefined;
  list(group: string, resource: string, namespace?: string): Persisted<UnknownObject>[];
}
