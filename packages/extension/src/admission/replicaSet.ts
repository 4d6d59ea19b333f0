import { type FieldError, fieldError, type ObjectMeta } from '@vireo/api';
import { deepEqual } from '@vireo/api/json.ts';
import { VirtualMachineInstanceReplicaSet } from '@vireo/api/kinds/kubevirt/virtualMachineInstanceReplicaSet.ts';
import { selectorFromObject } from '@vireo/api/labelSelector.ts';
import { validateVmiSpec } from '@vireo/hypervisor';
import type { ValidatingRule } from './rule.ts';
import { memoryErrors, namePrefixErrors, templateMetaErrors } from './template.ts';

export const replicaSetValidation: ValidatingRule<VirtualMachineInstanceReplicaSet> = {
  type: 'validating',
  webhook: 'virtualmachinereplicaset-validator.kubevirt.io',
  path: '/virtualmachinereplicasets-validate',
  kinds: [VirtualMachineInstanceReplicaSet],
  operations: ['CREATE', 'UPDATE'],
  async validate({ object: { metadata, spec }, oldObject }, context) {
    const { template, selector } = spec;
    const { metadata: ofTemplate } = template ?? {};
    const errors = [
      ...(template?.spec
        ? [
            ...validateVmiSpec(template.spec, 'spec.template.spec', await context.config()),
            ...selectorErrors(selector, ofTemplate),
          ]
        : [fieldError('spec.template', 'missing virtual machine template.', 'FieldValueRequired')]),
      ...boundErrors(spec),
      ...templateMetaErrors(ofTemplate, 'spec.template.metadata'),
      ...nameErrors(ofTemplate),
      ...(await memoryErrors(template ?? {}, 'spec.template.spec', metadata.namespace, context)),
    ];
    const isMoved = oldObject !== undefined && !deepEqual(selector, oldObject.spec.selector);
    return { errors, warnings: isMoved ? [MOVED] : [] };
  },
};

/** KubeVirt lets a selector be changed; what follows from that is seldom meant. */
const MOVED =
  'spec.selector has changed: VMIs that it no longer selects keep running outside the replica set, which creates new ones in their place.';

/** The set's own name, from which names are made where the template has none, was checked as such. */
const nameErrors = (metadata: Pick<ObjectMeta, 'name' | 'generateName'> | undefined): FieldError[] => {
  if (metadata?.name) return namePrefixErrors(metadata.name, 'spec.template.metadata.name');
  return metadata?.generateName ? namePrefixErrors(metadata.generateName, 'spec.template.metadata.generateName') : [];
};

/** What KubeVirt lets pass, and what would then harm: no set can have less than nothing, none may take everything. */
function boundErrors({ replicas = 1, selector }: VirtualMachineInstanceReplicaSet['spec']): FieldError[] {
  const isNegative = replicas < 0;
  const { matchLabels = {}, matchExpressions = [] } = selector ?? {};
  const isEmpty = Object.keys(matchLabels).length === 0 && matchExpressions.length === 0;
  return [
    ...(isNegative ? [fieldError('spec.replicas', `spec.replicas is ${replicas}: it must not be negative.`)] : []),
    ...(isEmpty ? [fieldError('spec.selector', 'an empty selector would select every VMI in the namespace.')] : []),
  ];
}

type Selector = Parameters<typeof selectorFromObject>[0];

/** A set that does not select what it makes would make it for ever. */
export function selectorErrors(selector: Selector, metadata: Pick<ObjectMeta, 'labels'> | undefined): FieldError[] {
  const refused = [fieldError('spec.selector', 'selector does not match labels.')];
  try {
    return selectorFromObject(selector).matches(metadata?.labels ?? {}) ? [] : refused;
  } catch {
    return refused;
  }
}
