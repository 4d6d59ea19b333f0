import { type FieldError, fieldError, isDeleting } from '@vireo/api';
import { deepEqual } from '@vireo/api/json.ts';
import { VirtualMachine } from '@vireo/api/kinds/kubevirt/virtualMachine.ts';
import type { VirtualMachinePoolSelectionPolicy } from '@vireo/api/kinds/pool/poolStrategies.ts';
import { VirtualMachinePool, type VirtualMachinePoolSpec } from '@vireo/api/kinds/pool/virtualMachinePool.ts';
import { validateLabelSelector } from '@vireo/api/labelSelector.ts';
import { selectorErrors } from './replicaSet.ts';
import { type Admission, type AdmissionContext, ALLOWED, type ValidatingRule, type ValidationResult } from './rule.ts';
import { namePrefixErrors, templateMetaErrors } from './template.ts';
import { vmSpecErrors } from './virtualMachine.ts';

const TEMPLATE = 'spec.virtualMachineTemplate';

export const poolValidation: ValidatingRule<VirtualMachinePool> = {
  type: 'validating',
  webhook: 'virtualmachinepool-validator.kubevirt.io',
  path: '/virtualmachinepool-validate',
  kinds: [VirtualMachinePool],
  operations: ['CREATE', 'UPDATE'],
  async validate(admission, context) {
    const { object, oldObject } = admission;
    const { metadata, spec } = object;
    // Its finalizer has to come off, whatever is wrong with it.
    if (isDeleting(object)) return ALLOWED;
    const { virtualMachineTemplate: template } = spec;
    // The field is KubeVirt's name for it.
    if (!template)
      return { errors: [fieldError('spec.template', 'missing virtual machine template.', 'FieldValueRequired')] };
    const { errors, warnings = [] } = await templateErrors(admission, context);
    return {
      errors: [
        ...errors,
        ...selectorErrors(spec.selector, template.metadata),
        ...emptySelectorErrors(spec.selector),
        ...templateMetaErrors(template.metadata, `${TEMPLATE}.metadata`),
        ...templateMetaErrors(template.spec?.template?.metadata, `${TEMPLATE}.spec.template.metadata`),
        // A VM of the pool is called as the pool, with a number.
        ...namePrefixErrors(`${metadata.name ?? metadata.generateName ?? ''}-0`, 'metadata.name'),
        ...maxUnavailableErrors(spec.maxUnavailable),
        ...strategyErrors(spec.scaleInStrategy, 'spec.scaleInStrategy'),
        ...strategyErrors(spec.updateStrategy, 'spec.updateStrategy'),
        ...(oldObject && !deepEqual(spec.selector, oldObject.spec.selector)
          ? [fieldError('spec.selector', 'selector is immutable after creation.')]
          : []),
      ],
      warnings,
    };
  },
};

/** What would be wrong with a VM of the pool. Whoever writes the pool needs the rights that its VMs take. */
async function templateErrors(
  { object, oldObject, ...admission }: Admission<VirtualMachinePool>,
  context: AdmissionContext,
): Promise<ValidationResult> {
  const vm = vmOf(object);
  if (!vm) {
    const text = `${TEMPLATE}.spec.template is missing: set the template of the VMs`;
    return { errors: [fieldError(`${TEMPLATE}.spec.template`, text, 'FieldValueRequired')] };
  }
  const oldVm = oldObject && vmOf(oldObject);
  const { errors, warnings = [] } = await vmSpecErrors(
    { ...admission, object: vm, ...(oldVm && { oldObject: oldVm }) },
    context,
  );
  return {
    errors: errors.map((error) => ({ ...error, field: inTemplate(error.field), text: inTemplate(error.text) })),
    warnings: warnings.map(inTemplate),
  };
}

function vmOf({ metadata, spec }: VirtualMachinePool): VirtualMachine | undefined {
  const { spec: vm, metadata: { labels, annotations } = {} } = spec.virtualMachineTemplate ?? {};
  if (!vm?.template) return undefined;
  return {
    apiVersion: `${VirtualMachine.group}/${VirtualMachine.version}`,
    kind: VirtualMachine.kind,
    metadata: {
      ...(metadata.namespace && { namespace: metadata.namespace }),
      ...(labels && { labels }),
      ...(annotations && { annotations }),
    },
    spec: vm,
  };
}

/** Paths into a VM, as they are in the pool. */
const inTemplate = (text: string): string =>
  text.replace(
    /(?<![\w.])spec\.(?=template|dataVolumeTemplates|runStrategy|running|instancetype|preference)/g,
    `${TEMPLATE}.spec.`,
  );

/** A pool must not take every VM. */
function emptySelectorErrors({ matchLabels = {}, matchExpressions = [] }: VirtualMachinePoolSpec['selector']) {
  const isEmpty = Object.keys(matchLabels).length === 0 && matchExpressions.length === 0;
  return isEmpty ? [fieldError('spec.selector', 'an empty selector would select every VM in the namespace.')] : [];
}

function maxUnavailableErrors(given: VirtualMachinePoolSpec['maxUnavailable']): FieldError[] {
  const problem = given === undefined ? undefined : maxUnavailableProblem(given);
  return problem ? [fieldError('spec.maxUnavailable', problem)] : [];
}

function maxUnavailableProblem(given: string | number): string | undefined {
  if (typeof given === 'number') return given > 0 ? undefined : 'maxUnavailable must be greater than 0';
  if (!given.endsWith('%')) return 'maxUnavailable percentage must end with %';
  const value = given.slice(0, -1);
  if (!/^[+-]?\d+$/.test(value))
    return `maxUnavailable percentage value ${JSON.stringify(value)} is invalid: it must be a whole number`;
  const percent = Number(value);
  return percent >= 1 && percent <= 100
    ? undefined
    : `maxUnavailable percentage value ${percent} must be between 1 and 100`;
}

interface Strategy {
  readonly proactive?: { readonly selectionPolicy?: VirtualMachinePoolSelectionPolicy };
  readonly opportunistic?: object;
  readonly unmanaged?: object;
}

function strategyErrors(given: Strategy | undefined, path: string): FieldError[] {
  if (!given) return [];
  const found = (['unmanaged', 'opportunistic', 'proactive'] as const).filter((each) => given[each] !== undefined);
  const several = `only one strategy can be configured at a time: but found ${found.join(', ')} strategies`;
  return [
    ...(found.length > 1 ? [fieldError(path, several)] : []),
    ...selectorsErrors(given.proactive?.selectionPolicy?.selectors, `${path}.proactive.selectionPolicy.selectors`),
  ];
}

const NODE_OPERATORS = ['In', 'NotIn', 'Exists', 'DoesNotExist', 'Gt', 'Lt'];

/** KubeVirt lets them in, and then cannot scale or update. */
function selectorsErrors(selectors: VirtualMachinePoolSelectionPolicy['selectors'], path: string): FieldError[] {
  const { labelSelector, nodeSelectorRequirementMatcher = [] } = selectors ?? {};
  const labels = labelSelector ? validateLabelSelector(labelSelector, `${path}.labelSelector`) : [];
  return [
    ...labels.map((error) => ({ ...error, text: `${error.field}: ${error.text}` })),
    ...nodeSelectorRequirementMatcher.flatMap(({ operator }, index) => {
      if (NODE_OPERATORS.includes(operator)) return [];
      const field = `${path}.nodeSelectorRequirementMatcher[${index}].operator`;
      const text = `${field} is ${JSON.stringify(operator)}: it must be one of ${NODE_OPERATORS.join(', ')}`;
      return [fieldError(field, text, 'FieldValueNotSupported')];
    }),
  ];
}
