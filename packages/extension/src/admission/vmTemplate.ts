import { type FieldError, fieldError } from '@vireo/api';
import { deepEqual } from '@vireo/api/json.ts';
import { TEMPLATE_LABEL_PREFIX } from '@vireo/api/kinds/template/names.ts';
import { templateProblems } from '@vireo/api/kinds/template/process.ts';
import { VirtualMachineTemplate } from '@vireo/api/kinds/template/virtualMachineTemplate.ts';
import { VirtualMachineTemplateRequest } from '@vireo/api/kinds/template/virtualMachineTemplateRequest.ts';
import { nameErrors } from './references.ts';
import { ALLOWED, type ValidatingRule } from './rule.ts';
import { immutable } from './snapshot.ts';

/** A template that could never be processed is refused; a parameter that nothing uses is told. */
export const vmTemplateValidation: ValidatingRule<VirtualMachineTemplate> = {
  type: 'validating',
  webhook: 'virtualmachinetemplates-validator.template.kubevirt.io',
  path: '/vmtemplates-validate',
  kinds: [VirtualMachineTemplate],
  operations: ['CREATE', 'UPDATE'],
  async validate({ object, oldObject }) {
    if (oldObject && deepEqual(object.spec, oldObject.spec)) return ALLOWED;
    const { errors, unused } = templateProblems(object.spec);
    return { errors, warnings: unused.map((name) => `spec.parameters: nothing refers to \${${name}}.`) };
  },
};

export const vmTemplateRequestValidation: ValidatingRule<VirtualMachineTemplateRequest> = {
  type: 'validating',
  webhook: 'virtualmachinetemplaterequests-validator.template.kubevirt.io',
  path: '/vmtemplaterequests-validate',
  kinds: [VirtualMachineTemplateRequest],
  operations: ['CREATE', 'UPDATE'],
  async validate({ object, oldObject }) {
    if (oldObject) return deepEqual(object.spec, oldObject.spec) ? ALLOWED : { errors: [immutable] };
    return { errors: requestErrors(object) };
  },
};

function requestErrors({ metadata, spec }: VirtualMachineTemplateRequest): FieldError[] {
  const { virtualMachineRef, templateName, templateLabels = {} } = spec;
  const reserved = Object.keys(templateLabels).filter((label) => label.startsWith(TEMPLATE_LABEL_PREFIX));
  return [
    ...nameErrors('spec.virtualMachineRef.name', virtualMachineRef.name),
    ...(templateName ? nameErrors('spec.templateName', templateName) : []),
    ...reserved.map((label) =>
      fieldError(`spec.templateLabels[${label}]`, `labels that begin with ${TEMPLATE_LABEL_PREFIX} are reserved`),
    ),
    // Disks are copied with the system's rights: only to where their VM is.
    ...(virtualMachineRef.namespace === metadata.namespace
      ? []
      : [
          fieldError(
            'spec.virtualMachineRef.namespace',
            `spec.virtualMachineRef.namespace is "${virtualMachineRef.namespace}": Vireo makes templates only in the namespace of their VM; create the request there`,
          ),
        ]),
  ];
}
