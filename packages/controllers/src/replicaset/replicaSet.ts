import type { Persisted } from '@vireo/api';
import { VirtualMachineInstanceReplicaSet } from '@vireo/api/kinds/kubevirt/virtualMachineInstanceReplicaSet.ts';
import { type Selector, selectorFromObject, validateLabelSelector } from '@vireo/api/labelSelector.ts';

export type ReplicaSet = Persisted<VirtualMachineInstanceReplicaSet>;
export const ReplicaSet = VirtualMachineInstanceReplicaSet;
export type ReplicaSetStatus = NonNullable<ReplicaSet['status']>;

/** How many VMIs are wanted. */
export const wantedReplicas = ({ spec }: ReplicaSet): number => Math.max(0, spec.replicas ?? 1);

/** The selector of a set, or why the set cannot be reconciled. */
export type Parsed = { readonly selector: Selector } | { readonly problem: string };

/** Sets are reconciled again and again as the same cached object; their selectors are parsed once. */
const cache = new WeakMap<ReplicaSet, Parsed>();

/** Admission refuses invalid sets; one that was stored without it gets the problem as its ReplicaFailure. */
export function parse(set: ReplicaSet): Parsed {
  const cached = cache.get(set);
  if (cached) return cached;
  const parsed = parseSpec(set);
  cache.set(set, parsed);
  return parsed;
}

function parseSpec({ spec: { selector: given, template } }: ReplicaSet): Parsed {
  if (!template?.spec) return { problem: 'spec.template.spec is missing: set the spec of the VMIs' };
  const [invalid] = validateLabelSelector(given ?? {}, 'spec.selector');
  if (invalid) return { problem: `${invalid.field}: ${invalid.text}` };
  const selector = selectorFromObject(given);
  if (selector.requirements.length === 0)
    return { problem: 'spec.selector selects every VMI: set it to the labels of spec.template.metadata' };
  if (!selector.matches(template.metadata?.labels))
    return { problem: `spec.selector (${selector}) does not match the labels of spec.template.metadata` };
  return { selector };
}

/** Whether the set selects VMIs with these labels. */
export function selects(set: ReplicaSet, labels: Readonly<Record<string, string>> | undefined): boolean {
  const parsed = parse(set);
  return 'selector' in parsed && parsed.selector.matches(labels);
}
