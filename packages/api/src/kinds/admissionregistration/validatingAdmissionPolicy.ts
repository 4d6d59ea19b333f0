import { defineKind } from '../../kind.ts';
import { objectFields } from '../../meta.ts';
import { type Infer, int64, list, opt, req, string, struct } from '../../schema.ts';
import { ageColumn } from '../columns.ts';
import { Condition } from '../meta/condition.ts';
import { MatchResources } from './matchResources.ts';
import { ParamKind, paramKindColumn, Variable } from './policyParts.ts';
import { MatchCondition } from './webhook.ts';

export const Validation = struct(
  'io.k8s.api.admissionregistration.v1.Validation',
  'An expression that must be true, and what is said if it is not.',
  {
    expression: req(1, string, 'Expression in CEL that must be true for the request to be admitted.'),
    message: opt(2, string, 'Message of the refusal. It is one line.'),
    messageExpression: opt(4, string, 'Expression in CEL for the message. It takes precedence over message.'),
    reason: opt(3, string, {
      pointer: true,
      doc: 'Reason of the refusal: Unauthorized, Forbidden, Invalid or RequestEntityTooLarge. Defaults to Invalid.',
    }),
  },
);
export interface Validation extends Infer<typeof Validation> {}

export const AuditAnnotation = struct(
  'io.k8s.api.admissionregistration.v1.AuditAnnotation',
  'An annotation of the audit event of a request.',
  {
    key: req(1, string, 'Key of the annotation; the name of the policy is put before it.'),
    valueExpression: req(2, string, 'Expression in CEL for the value: a string, or null for no annotation.'),
  },
);
export interface AuditAnnotation extends Infer<typeof AuditAnnotation> {}

export const ValidatingAdmissionPolicySpec = struct(
  'io.k8s.api.admissionregistration.v1.ValidatingAdmissionPolicySpec',
  'Desired behavior of a ValidatingAdmissionPolicy.',
  {
    auditAnnotations: opt(5, list(AuditAnnotation, 'atomic'), 'Annotations of the audit events of requests.'),
    failurePolicy: opt(4, string, {
      default: 'Fail',
      pointer: true,
      doc: 'What happens to requests for which the policy cannot be evaluated: Fail or Ignore.',
    }),
    matchConditions: opt(6, list(MatchCondition, ['name']), {
      patch: 'merge',
      key: 'name',
      doc: 'Conditions that a request must meet for the policy to be evaluated.',
    }),
    matchConstraints: opt(2, MatchResources, 'Requests that the policy is about.'),
    paramKind: opt(1, ParamKind, 'Kind of the objects that parameterize the policy.'),
    validations: opt(3, list(Validation, 'atomic'), 'Expressions that must all be true.'),
    variables: opt(7, list(Variable, ['name']), {
      patch: 'merge',
      key: 'name',
      doc: 'Variables for the other expressions. Each may use those before it.',
    }),
  },
);
export interface ValidatingAdmissionPolicySpec extends Infer<typeof ValidatingAdmissionPolicySpec> {}

export const ExpressionWarning = struct(
  'io.k8s.api.admissionregistration.v1.ExpressionWarning',
  'A warning about the types in an expression.',
  {
    fieldRef: req(2, string, 'Path of the expression, such as spec.validations[0].expression.'),
    warning: req(3, string, 'What does not fit, and for which types.'),
  },
);
export interface ExpressionWarning extends Infer<typeof ExpressionWarning> {}

export const TypeChecking = struct(
  'io.k8s.api.admissionregistration.v1.TypeChecking',
  'Results of checking the types in the expressions of a policy.',
  {
    expressionWarnings: opt(1, list(ExpressionWarning, 'atomic'), 'Warnings about expressions, one for each.'),
  },
);
export interface TypeChecking extends Infer<typeof TypeChecking> {}

export const ValidatingAdmissionPolicyStatus = struct(
  'io.k8s.api.admissionregistration.v1.ValidatingAdmissionPolicyStatus',
  'Observed state of a ValidatingAdmissionPolicy.',
  {
    conditions: opt(3, list(Condition, ['type']), 'Conditions of the policy.'),
    observedGeneration: opt(1, int64, 'The generation that this was observed at.'),
    typeChecking: opt(2, TypeChecking, 'Results of checking the types. Absent until they were checked.'),
  },
);
export interface ValidatingAdmissionPolicyStatus extends Infer<typeof ValidatingAdmissionPolicyStatus> {}

export const ValidatingAdmissionPolicySchema = struct(
  'io.k8s.api.admissionregistration.v1.ValidatingAdmissionPolicy',
  'A policy that admits or refuses requests by CEL expressions. A binding puts it into force.',
  {
    ...objectFields,
    spec: opt(2, ValidatingAdmissionPolicySpec, 'Desired behavior of the policy.'),
    status: opt(3, ValidatingAdmissionPolicyStatus, 'Observed state of the policy. The system writes it.'),
  },
);
export interface ValidatingAdmissionPolicy extends Infer<typeof ValidatingAdmissionPolicySchema> {}

export const ValidatingAdmissionPolicy = defineKind<ValidatingAdmissionPolicy>({
  group: 'admissionregistration.k8s.io',
  version: 'v1',
  kind: 'ValidatingAdmissionPolicy',
  plural: 'validatingadmissionpolicies',
  namespaced: false,
  categories: ['api-extensions'],
  schema: ValidatingAdmissionPolicySchema,
  columns: [
    {
      name: 'Validations',
      type: 'integer',
      description: 'Number of validations in the policy.',
      value: ({ spec }) => spec?.validations?.length ?? 0,
    },
    paramKindColumn,
    ageColumn,
  ],
});
