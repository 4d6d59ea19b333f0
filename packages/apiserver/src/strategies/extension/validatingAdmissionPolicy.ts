import {
  type AuditAnnotation,
  type FieldError,
  field,
  type ValidatingAdmissionPolicy,
  type ValidatingAdmissionPolicyBinding,
  type ValidatingAdmissionPolicySpec,
  type ValidatingAdmissionPolicyStatus,
  type Validation,
} from '@vireo/api';
import { qualifiedNameErrors } from '@vireo/api/names.ts';
import { admissionEnvironment } from '../../admission/expressions/environment.ts';
import { BOOL, type Environment, NULL, STRING } from '../../cel/index.ts';
import { defineStrategy } from '../define.ts';
import { duplicates, each, invalidFor, oneOf } from '../fields.ts';
import { expressionErrors, expressionsTooLong, validateMatchConditions, validateVariables } from './expressions.ts';
import { validateMatchConstraints, validateMatchResources } from './matchRules.ts';
import { validateParamKind, validateReferences } from './policyReferences.ts';

const ACTIONS = ['Audit', 'Deny', 'Warn'];
const REASONS = ['Forbidden', 'Invalid', 'RequestEntityTooLarge'];
const MAX_AUDIT_ANNOTATIONS = 20;
const MAX_VALUE_EXPRESSION_BYTES = 5 * 1024;
const NOTHING_TO_DO = 'validations or auditAnnotations must contain at least one item';

export const validatingAdmissionPolicyStrategy = defineStrategy<ValidatingAdmissionPolicy>({
  unconditionalUpdate: false,
  prepareForCreate: (draft) => {
    delete draft.status;
  },
  validate: ({ metadata, spec = {}, status }, { subresource }) =>
    subresource === 'status' ? statusErrors(status) : specErrors(spec, metadata.name ?? ''),
});

export const validatingAdmissionPolicyBindingStrategy = defineStrategy<ValidatingAdmissionPolicyBinding>({
  unconditionalUpdate: false,
  validate: ({ spec = {} }) => [
    ...validateReferences(spec, 'spec'),
    ...validateMatchResources(spec.matchResources, 'spec.matchResources'),
    ...actionErrors(spec.validationActions ?? [], 'spec.validationActions'),
  ],
});

function specErrors(spec: ValidatingAdmissionPolicySpec, policyName: string): FieldError[] {
  const tooLong = expressionsTooLong('spec', [
    ...(spec.matchConditions ?? []).map(({ expression }) => expression),
    ...(spec.variables ?? []).map(({ expression }) => expression),
    ...(spec.validations ?? []).flatMap(({ expression, messageExpression }) => [expression, messageExpression]),
    ...(spec.auditAnnotations ?? []).map(({ valueExpression }) => valueExpression),
  ]);
  if (tooLong.length > 0) return tooLong;
  const params = spec.paramKind !== undefined;
  const { errors: variableErrors, types } = validateVariables(spec.variables, 'spec.variables', params);
  const environment = types.declareIn(admissionEnvironment({ params, authorizer: true }));
  const messageEnvironment = types.declareIn(admissionEnvironment({ params }));
  return [
    ...oneOf('spec.failurePolicy', spec.failurePolicy, ['Fail', 'Ignore'], 'required'),
    ...validateParamKind(spec.paramKind, 'spec.paramKind'),
    ...validateMatchConstraints(spec.matchConstraints, 'spec.matchConstraints'),
    ...validateMatchConditions(spec.matchConditions, 'spec.matchConditions', params),
    ...variableErrors,
    ...(spec.validations?.length || spec.auditAnnotations?.length
      ? []
      : [field.required('spec.validations', NOTHING_TO_DO), field.required('spec.auditAnnotations', NOTHING_TO_DO)]),
    ...each(spec.validations, 'spec.validations', (validation, at) =>
      validationErrors(validation, at, environment, messageEnvironment),
    ),
    ...annotationsErrors(spec.auditAnnotations ?? [], 'spec.auditAnnotations', policyName, environment),
  ];
}

function validationErrors(
  { expression = '', message = '', messageExpression = '', reason }: Validation,
  path: string,
  environment: Environment,
  messageEnvironment: Environment,
): FieldError[] {
  return [
    ...(expression.trim()
      ? expressionErrors(`${path}.expression`, expression, environment, [BOOL])
      : [field.required(`${path}.expression`, 'expression is not specified')]),
    ...(messageExpression && !messageExpression.trim()
      ? [field.invalid(`${path}.messageExpression`, messageExpression, 'must be non-empty if specified')]
      : []),
    ...(messageExpression.trim()
      ? expressionErrors(`${path}.messageExpression`, messageExpression, messageEnvironment, [STRING])
      : []),
    ...(message && !message.trim()
      ? [field.invalid(`${path}.message`, message, 'message must be non-empty if specified')]
      : []),
    ...(/[\n\r]/.test(message.trim())
      ? [field.invalid(`${path}.message`, message, 'message must not contain line breaks')]
      : []),
    ...oneOf(`${path}.reason`, reason, REASONS),
  ];
}

const annotationsErrors = (
  annotations: readonly AuditAnnotation[],
  path: string,
  policyName: string,
  environment: Environment,
): FieldError[] => [
  ...(annotations.length > MAX_AUDIT_ANNOTATIONS
    ? [field.invalid(path, annotations, `must not have more than ${MAX_AUDIT_ANNOTATIONS} auditAnnotations`)]
    : []),
  ...each(annotations, path, ({ key = '', valueExpression = '' }, at) => [
    ...annotationKeyErrors(key, `${at}.key`, policyName),
    ...annotationValueErrors(valueExpression, `${at}.valueExpression`, environment),
  ]),
  ...duplicates(
    annotations,
    ({ key }) => key,
    (index) => `${path}[${index}].key`,
  ),
];

function annotationKeyErrors(key: string, path: string, policyName: string): FieldError[] {
  if (!policyName) return [field.invalid(path, key, 'requires metadata.name be non-empty')];
  const name = `${policyName}/${key}`;
  return invalidFor(path, name, qualifiedNameErrors(name));
}

function annotationValueErrors(expression: string, path: string, environment: Environment): FieldError[] {
  const source = expression.trim();
  if (!source) return [field.required(path, 'valueExpression is not specified')];
  if (Buffer.byteLength(source) > MAX_VALUE_EXPRESSION_BYTES)
    return [field.required(path, `must not exceed ${MAX_VALUE_EXPRESSION_BYTES} bytes in length`)];
  return expressionErrors(path, source, environment, [STRING, NULL], expression);
}

function actionErrors(actions: readonly string[], path: string): FieldError[] {
  const contradiction =
    'must not contain both Deny and Warn (repeating the same validation failure information in the API response and headers serves no purpose)';
  return [
    ...actions.flatMap((action, index) => [
      ...(ACTIONS.includes(action) ? [] : [field.notSupported(`${path}[${index}]`, action, ACTIONS)]),
      ...(actions.indexOf(action) < index ? [field.duplicate(`${path}[${index}]`, action)] : []),
    ]),
    ...(actions.includes('Deny') && actions.includes('Warn') ? [field.invalid(path, actions, contradiction)] : []),
    ...(actions.length === 0 ? [field.required(path, 'at least one validation action is required')] : []),
  ];
}

const statusErrors = (status: ValidatingAdmissionPolicyStatus | undefined): FieldError[] =>
  each(
    status?.typeChecking?.expressionWarnings,
    'status.typeChecking.expressionWarnings',
    ({ fieldRef, warning }, at) => [
      ...(warning ? [] : [field.required(`${at}.warning`)]),
      ...(fieldRef?.trim() ? [] : [field.required(`${at}.fieldRef`)]),
    ],
  );
