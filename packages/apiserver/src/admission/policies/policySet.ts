import type { Lookup } from '../../strategies/strategy.ts';
import type { AdmissionRequest } from '../admission.ts';
import { namespaceOf } from '../namespaceOf.ts';
import { matchedVersion, mayMatch } from './match.ts';
import { ConfigurationError, collectParams, type ParamSource, paramObjectsOf } from './params.ts';
import type { Binding, Policy, Step } from './types.ts';

const OWN_GROUP = 'admissionregistration.k8s.io';
const MAX_SORTS = 4096;

/** What policies have to know of the server. */
export interface PolicyContext {
  readonly lookup: Lookup;
  readonly params: ParamSource;
  /** The versions of a resource that a policy may see objects in, other than that of the request. */
  versionsOf(kind: AdmissionRequest['kind']): readonly string[];
}

/** A policy that is in force. */
interface Active<P, B, C> {
  readonly policy: P;
  /** In the order of their names. */
  readonly bindings: readonly B[];
  readonly compiled: () => C;
}

/**
 * The policies of one kind with their bindings. They are compiled once, when they are first used, and a write looks at
 * those alone whose rules are about its resource.
 */
export class PolicySet<P extends Policy, B extends Binding, C> {
  readonly #compile: (policy: P) => C;
  readonly #context: PolicyContext;
  readonly #policies = new Map<string, { policy: P; compiled: () => C }>();
  readonly #bindings = new Map<string, B>();
  /** In the order of their names; made again after a change, when it is asked for. */
  #active: readonly Active<P, B, C>[] | undefined;
  readonly #bySort = new Map<string, readonly Active<P, B, C>[]>();

  constructor(compile: (policy: P) => C, context: PolicyContext) {
    this.#compile = compile;
    this.#context = context;
  }

  readonly policies = {
    update: (policy: P): void => {
      const { name, uid, generation } = policy.metadata;
      const known = this.#policies.get(name);
      // A new status is no reason to compile it again.
      const isSame = known?.policy.metadata.uid === uid && known.policy.metadata.generation === generation;
      this.#policies.set(name, { policy, compiled: isSame ? known.compiled : once(() => this.#compile(policy)) });
      this.#changed();
    },
    remove: (policy: P): void => {
      this.#policies.delete(policy.metadata.name);
      this.#changed();
    },
  };

  readonly bindings = {
    update: (binding: B): void => {
      this.#bindings.set(binding.metadata.name, binding);
      this.#changed();
    },
    remove: (binding: B): void => {
      this.#bindings.delete(binding.metadata.name);
      this.#changed();
    },
  };

  #changed(): void {
    this.#active = undefined;
    this.#bySort.clear();
  }

  /** What is to be evaluated for a write, and what cannot be. Policies and bindings themselves are exempt. */
  steps(request: AdmissionRequest): readonly Step<P, B, C>[] {
    if (this.#bindings.size === 0 || this.#policies.size === 0 || request.kind.group === OWN_GROUP) return [];
    return this.#ofSort(request).flatMap((active) => this.#stepsOf(active, request));
  }

  #ofSort({ operation, kind, subresource }: AdmissionRequest): readonly Active<P, B, C>[] {
    const versions = this.#context.versionsOf(kind);
    const scope = kind.namespaced ? 'Namespaced' : 'Cluster';
    const key = [operation, kind.group, kind.version, kind.plural, scope, subresource, ...versions].join(' ');
    const known = this.#bySort.get(key);
    if (known) return known;
    this.#active ??= this.#inForce();
    const found = this.#active.filter(({ policy }) =>
      mayMatch(policy.spec?.matchConstraints ?? {}, { operation, kind, subresource }, versions),
    );
    // Kinds of users come and go.
    if (this.#bySort.size >= MAX_SORTS) this.#bySort.clear();
    this.#bySort.set(key, found);
    return found;
  }

  #inForce(): Active<P, B, C>[] {
    const bindings = Map.groupBy(inOrder([...this.#bindings.values()]), ({ spec }) => spec?.policyName ?? '');
    return inOrder([...this.#policies.values()].map(({ policy }) => policy)).flatMap((policy) => {
      const { name } = policy.metadata;
      const bound = bindings.get(name);
      return bound ? [{ policy, bindings: bound, compiled: this.#policies.get(name)?.compiled as () => C }] : [];
    });
  }

  #stepsOf({ policy, bindings, compiled }: Active<P, B, C>, request: AdmissionRequest): Step<P, B, C>[] {
    const { lookup, params } = this.#context;
    const versions = this.#context.versionsOf(request.kind);
    const { matchConstraints = {}, paramKind } = policy.spec ?? {};
    const version = matchedVersion(matchConstraints, request, versions, lookup);
    if (version === undefined) return [];
    const objects = attempt(() => paramObjectsOf(paramKind, params));
    if (objects instanceof ConfigurationError)
      return [{ policy, message: `failed to configure policy: ${objects.message}` }];
    return bindings.flatMap((binding): Step<P, B, C>[] => {
      const { matchResources, paramRef } = binding.spec ?? {};
      if (matchResources && matchedVersion(matchResources, request, versions, lookup) === undefined) return [];
      const found = attempt(() => collectParams(objects, paramRef, namespaceOf(request)));
      if (found instanceof ConfigurationError)
        return [{ policy, binding, message: `failed to configure binding: ${found.message}` }];
      return found.map((object) => ({ policy, binding, compiled: compiled(), version, params: object }));
    });
  }
}

function attempt<T>(action: () => T): T | ConfigurationError {
  try {
    return action();
  } catch (error) {
    if (error instanceof ConfigurationError) return error;
    throw error;
  }
}

function once<T>(make: () => T): () => T {
  let made: { value: T } | undefined;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}

const inOrder = <T extends { metadata: { name: string } }>(objects: T[]): T[] =>
  objects.sort((a, b) => (a.metadata.name < b.metadata.name ? -1 : 1));
