import { defineKind } from '../../kind.ts';
import { objectFields } from '../../meta.ts';
import { type Infer, list, opt, req, string, struct } from '../../schema.ts';
import { ageColumn } from '../columns.ts';
import { MatchResources } from './matchResources.ts';
import { ParamKind, paramKindColumn, Variable } from './policyParts.ts';
import { MatchCondition } from './webhook.ts';

export const ApplyConfiguration = struct(
  'io.k8s.api.admissionregistration.v1.ApplyConfiguration',
  'Fields that are merged into the object, as server-side apply does.',
  { expression: opt(1, string, 'Expression in CEL that gives an Object with the fields to set.') },
);
export interface ApplyConfiguration extends Infer<typeof ApplyConfiguration> {}

export const JSONPatch = struct(
  'io.k8s.api.admissionregistration.v1.JSONPatch',
  'A JSON patch that is applied to the object.',
  { expression: opt(1, string, 'Expression in CEL that gives a list of JSONPatch, one for each operation.') },
);
export interface JSONPatch extends Infer<typeof JSONPatch> {}

export const Mutation = struct(
  'io.k8s.api.admissionregistration.v1.Mutation',
  'One change that a policy makes to objects.',
  {
    applyConfiguration: opt(3, ApplyConfiguration, 'The fields to set, if patchType is ApplyConfiguration.'),
    jsonPatch: opt(4, JSONPatch, 'The operations to apply, if patchType is JSONPatch.'),
    patchType: req(2, string, 'How the object is changed: ApplyConfiguration or JSONPatch.'),
  },
);
export interface Mutation extends Infer<typeof Mutation> {}

export const MutatingAdmissionPolicySpec = struct(
  'io.k8s.api.admissionregistration.v1.MutatingAdmissionPolicySpec',
  'Desired behavior of a MutatingAdmissionPolicy.',
  {
    failurePolicy: opt(5, string, {
      default: 'Fail',
      pointer: true,
      doc: 'What happens to requests for which the policy cannot be evaluated: Fail or Ignore.',
    }),
    matchConditions: opt(6, list(MatchCondition, ['name']), {
      patch: 'merge',
      key: 'name',
      doc: 'Conditions that a request must meet for the policy to be evaluated.',
    }),
    matchConstraints: opt(2, MatchResources, 'Requests that the policy is about. DELETE cannot be matched.'),
    mutations: opt(4, list(Mutation, 'atomic'), 'Changes to make, one after another.'),
    paramKind: opt(1, ParamKind, 'Kind of the objects that parameterize the policy.'),
    reinvocationPolicy: opt(7, string, 'Whether the policy is evaluated again after later changes: Never or IfNeeded.'),
    variables: opt(3, list(Variable, 'atomic'), 'Variables for the other expressions. Each may use those before it.'),
  },
);
export interface MutatingAdmissionPolicySpec extends Infer<typeof MutatingAdmissionPolicySpec> {}

export const MutatingAdmissionPolicySchema = struct(
  'io.k8s.api.admissionregistration.v1.MutatingAdmissionPolicy',
  'A policy that changes objects by CEL expressions before they are stored. A binding puts it into force.',
  {
    ...objectFields,
    spec: opt(2, MutatingAdmissionPolicySpec, 'Desired behavior of the policy.'),
  },
);
export interface MutatingAdmissionPolicy extends Infer<typeof MutatingAdmissionPolicySchema> {}

export const MutatingAdmissionPolicy = defineKind<MutatingAdmissionPolicy>({
  group: 'admissionregistration.k8s.io',
  version: 'v1',
  kind: 'MutatingAdmissionPolicy',
  plural: 'mutatingadmissionpolicies',
  namespaced: false,
  categories: ['api-extensions'],
  schema: MutatingAdmissionPolicySchema,
  generation: true,
  columns: [
    {
      name: 'Mutations',
      type: 'integer',
      description: 'Number of mutations in the policy.',
      value: ({ spec }) => spec?.mutations?.length ?? 0,
    },
    paramKindColumn,
    ageColumn,
  ],
});
