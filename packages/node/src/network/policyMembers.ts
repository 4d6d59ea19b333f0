import type { Namespace, NetworkPolicy, Pod } from '@vireo/api';
import {
  type Element,
  type ElementChange,
  elementId,
  type Fragment,
  memberElements,
  mergeFragments,
  policyFragment,
} from '@vireo/network';
import { policyRules } from './policies.ts';

/**
 * A policy with the pods that it names. What a pod adds to its sets does not depend on other pods, so one that comes, goes or
 * changes costs the same whatever number of them there is.
 */
export class PolicyMembers {
  readonly #policy: NetworkPolicy;
  readonly #byPod = new Map<string, readonly Element[]>();
  /** How many pods add an element: the two of a guest that moves have the same address. */
  readonly #counts = new Map<string, number>();

  constructor(policy: NetworkPolicy) {
    this.#policy = policy;
  }

  /** All rules of the policy, with all pods. */
  fragment(): Fragment {
    const rules = mergeFragments(policyRules(this.#policy, { pods: [], namespaces: [] }).map(policyFragment));
    return { ...rules, elements: [...(rules.elements ?? []), ...[...this.#byPod.values()].flat()] };
  }

  /** Takes a pod as it is now, with its namespace; undefined if it has gone. Returns what changes of the rules. */
  change(key: string, pod: Pod | undefined, namespaces: readonly Namespace[]): ElementChange {
    const before = this.#byPod.get(key) ?? [];
    const after = pod ? policyRules(this.#policy, { pods: [pod], namespaces }).flatMap(memberElements) : [];
    if (after.length > 0) this.#byPod.set(key, after);
    else this.#byPod.delete(key);
    const added = after.filter((element) => this.#count(element, 1) === 1);
    return { added, removed: before.filter((element) => this.#count(element, -1) === 0) };
  }

  #count(element: Element, difference: 1 | -1): number {
    const id = elementId(element);
    const count = (this.#counts.get(id) ?? 0) + difference;
    if (count > 0) this.#counts.set(id, count);
    else this.#counts.delete(id);
    return count;
  }
}
