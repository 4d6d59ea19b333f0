import { defineKind } from '../../kind.ts';
import { objectFields } from '../../meta.ts';
import { type Infer, list, opt, string, struct } from '../../schema.ts';
import { ageColumn } from '../columns.ts';
import { MatchResources } from './matchResources.ts';
import { bindingColumns, ParamRef } from './policyParts.ts';

export const ValidatingAdmissionPolicyBindingSpec = struct(
  'io.k8s.api.admissionregistration.v1.ValidatingAdmissionPolicyBindingSpec',
  'Desired behavior of a ValidatingAdmissionPolicyBinding.',
  {
    matchResources: opt(3, MatchResources, 'Narrows down the requests that the policy is about.'),
    paramRef: opt(2, ParamRef, 'Where the parameters of the policy are. The policy must have a paramKind.'),
    policyName: opt(1, string, 'Name of the policy that is put into force.'),
    validationActions: opt(
      4,
      list(string, 'set'),
      'What happens when a validation fails: Deny, Warn or Audit. Deny and Warn exclude each other.',
    ),
  },
);
export interface ValidatingAdmissionPolicyBindingSpec extends Infer<typeof ValidatingAdmissionPolicyBindingSpec> {}

export const ValidatingAdmissionPolicyBindingSchema = struct(
  'io.k8s.api.admissionregistration.v1.ValidatingAdmissionPolicyBinding',
  'Puts a ValidatingAdmissionPolicy into force, possibly with parameters.',
  {
    ...objectFields,
    spec: opt(2, ValidatingAdmissionPolicyBindingSpec, 'Desired behavior of the binding.'),
  },
);
export interface ValidatingAdmissionPolicyBinding extends Infer<typeof ValidatingAdmissionPolicyBindingSchema> {}

export const ValidatingAdmissionPolicyBinding = defineKind<ValidatingAdmissionPolicyBinding>({
  group: 'admissionregistration.k8s.io',
  version: 'v1',
  kind: 'ValidatingAdmissionPolicyBinding',
  plural: 'validatingadmissionpolicybindings',
  namespaced: false,
  categories: ['api-extensions'],
  schema: ValidatingAdmissionPolicyBindingSchema,
  generation: true,
  columns: [...bindingColumns, ageColumn],
});
