import { defineKind } from '../../kind.ts';
import { objectFields } from '../../meta.ts';
import { type Infer, opt, string, struct } from '../../schema.ts';
import { ageColumn } from '../columns.ts';
import { MatchResources } from './matchResources.ts';
import { bindingColumns, ParamRef } from './policyParts.ts';

export const MutatingAdmissionPolicyBindingSpec = struct(
  'io.k8s.api.admissionregistration.v1.MutatingAdmissionPolicyBindingSpec',
  'Desired behavior of a MutatingAdmissionPolicyBinding.',
  {
    matchResources: opt(3, MatchResources, 'Narrows down the requests that the policy is about.'),
    paramRef: opt(2, ParamRef, 'Where the parameters of the policy are. The policy must have a paramKind.'),
    policyName: opt(1, string, 'Name of the policy that is put into force.'),
  },
);
export interface MutatingAdmissionPolicyBindingSpec extends Infer<typeof MutatingAdmissionPolicyBindingSpec> {}

export const MutatingAdmissionPolicyBindingSchema = struct(
  'io.k8s.api.admissionregistration.v1.MutatingAdmissionPolicyBinding',
  'Puts a MutatingAdmissionPolicy into force, possibly with parameters.',
  {
    ...objectFields,
    spec: opt(2, MutatingAdmissionPolicyBindingSpec, 'Desired behavior of the binding.'),
  },
);
export interface MutatingAdmissionPolicyBinding extends Infer<typeof MutatingAdmissionPolicyBindingSchema> {}

export const MutatingAdmissionPolicyBinding = defineKind<MutatingAdmissionPolicyBinding>({
  group: 'admissionregistration.k8s.io',
  version: 'v1',
  kind: 'MutatingAdmissionPolicyBinding',
  plural: 'mutatingadmissionpolicybindings',
  namespaced: false,
  categories: ['api-extensions'],
  schema: MutatingAdmissionPolicyBindingSchema,
  generation: true,
  columns: [...bindingColumns, ageColumn],
});
