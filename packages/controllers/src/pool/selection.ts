import type { Vm } from '@vireo/api/kinds/kubevirt/vm.ts';
import type { VirtualMachinePoolSelectionPolicy } from '@vireo/api/kinds/pool/poolStrategies.ts';
import { type Requirement, selectorFromObject, selectorOf } from '@vireo/api/labelSelector.ts';
import { indexOf } from './indices.ts';

type Labels = Readonly<Record<string, string>>;

/** What the selection may ask. */
export interface SelectionContext {
  /** The labels of the node that the VM runs on; none where it runs on none. */
  readonly nodeLabels: (vm: Vm) => Labels | undefined;
  /** Numbers from 0 up to 1. */
  readonly random: () => number;
}

/** The VMs that the policy selects, in its order. */
export const select = (
  vms: readonly Vm[],
  policy: VirtualMachinePoolSelectionPolicy,
  context: SelectionContext,
): Vm[] => sorted(selected(vms, policy.selectors, context), policy.sortPolicy, context.random);

/** The VMs that all given selectors match. */
export function selected(
  vms: readonly Vm[],
  selectors: VirtualMachinePoolSelectionPolicy['selectors'],
  { nodeLabels }: Pick<SelectionContext, 'nodeLabels'>,
): readonly Vm[] {
  const { labelSelector, nodeSelectorRequirementMatcher } = selectors ?? {};
  if (!labelSelector && !nodeSelectorRequirementMatcher) return vms;
  const byLabels = labelSelector && selectorFromObject(labelSelector);
  const byNode = nodeSelectorRequirementMatcher && selectorOf(nodeSelectorRequirementMatcher.map(requirementOf));
  return vms.filter((vm) => {
    const { template } = vm.spec;
    // KubeVirt looks at the template alone, in which all VMs of a pool are alike; a VM can be labelled by itself.
    const labels = { ...template.metadata?.labels, ...vm.metadata.labels };
    const ofNode = { ...nodeLabels(vm), ...template.spec?.nodeSelector };
    return (byLabels?.matches(labels) ?? true) && (byNode?.matches(ofNode) ?? true);
  });
}

type NodeRequirement = NonNullable<
  NonNullable<VirtualMachinePoolSelectionPolicy['selectors']>['nodeSelectorRequirementMatcher']
>[number];

const OPERATORS: Readonly<Record<string, Requirement['operator']>> = {
  In: 'in',
  NotIn: 'notin',
  Exists: 'exists',
  DoesNotExist: '!',
  Gt: '>',
  Lt: '<',
};

/** Admission refuses other operators. */
function requirementOf({ key, operator, values = [] }: NodeRequirement): Requirement {
  const known = OPERATORS[operator];
  if (!known) throw new Error(`nodeSelectorRequirementMatcher: operator ${JSON.stringify(operator)} is unknown`);
  return { key, operator: known, values };
}

function sorted(vms: readonly Vm[], policy: string | undefined, random: () => number): Vm[] {
  switch (policy) {
    case 'AscendingOrder':
      return vms.toSorted((a, b) => ordinal(a) - ordinal(b));
    case 'DescendingOrder':
      return vms.toSorted((a, b) => ordinal(b) - ordinal(a));
    case 'Newest':
      return vms.toSorted((a, b) => compareAge(b, a));
    case 'Oldest':
      return vms.toSorted(compareAge);
    default:
      return shuffled(vms, random);
  }
}

const ordinal = ({ metadata }: Vm): number => indexOf(metadata.name) ?? 0;

/** VMs of one second were made in the order of their indices. */
function compareAge(a: Vm, b: Vm): number {
  const [older, newer] = [a.metadata.creationTimestamp, b.metadata.creationTimestamp];
  return older < newer ? -1 : older > newer ? 1 : ordinal(a) - ordinal(b);
}

function shuffled(vms: readonly Vm[], random: () => number): Vm[] {
  return vms
    .map((vm) => ({ vm, rank: random() }))
    .sort((a, b) => a.rank - b.rank)
    .map(({ vm }) => vm);
}
