import { VirtualMachineInstanceReplicaSet } from '@vireo/api/kinds/kubevirt/virtualMachineInstanceReplicaSet.ts';
import { type Selector, selectorFromObject, validateLabelSelector } from '@vireo/api/labelSelector.ts';

export type ReplicaSet = VirtualMachineInstanceReplicaSet;
export const ReplicaSet = VirtualMachineInstanceReplicaSet;
export type ReplicaSetStatus = NonNullable<ReplicaSet['status']>;

/** How many instances are wanted. */
export const wantedReplicas = ({ spec }: ReplicaSet): number => Math.max(0, spec.replicas ?? 1);

/** A set as something that can be worked on, or what keeps it from that. */
export type Parsed = { readonly selector: Selector } | { readonly problem: string };

/** Sets come by again and again as the same object; their selectors are read once. */
const known = new WeakMap<ReplicaSet, Parsed>();

/** Reads a set. Admission refuses what is wrong; a set from before, or past it, is told what is. */
export function parse(set: ReplicaSet): Parsed {
  const before = known.get(set);
  if (before) return before;
  const parsed = read(set);
  known.set(set, parsed);
  return parsed;
}

function read({ spec: { selector: given, template } }: ReplicaSet): Parsed {
  if (!template?.spec) return { problem: 'spec.template.spec is missing: say what the instances are made from' };
  const [invalid] = validateLabelSelector(given ?? {}, 'spec.selector');
  if (invalid) return { problem: `${invalid.field}: ${invalid.text}` };
  const selector = selectorFromObject(given);
  if (selector.requirements.length === 0)
    return { problem: 'spec.selector selects every instance: name the labels of spec.template.metadata' };
  if (!selector.matches(template.metadata?.labels))
    return { problem: `spec.selector (${selector}) does not match the labels of spec.template.metadata` };
  return { selector };
}

/** Whether the set would take instances with these labels. */
export function selects(set: ReplicaSet, labels: Readonly<Record<string, string>> | undefined): boolean {
  const parsed = parse(set);
  return 'selector' in parsed && parsed.selector.matches(labels);
}
