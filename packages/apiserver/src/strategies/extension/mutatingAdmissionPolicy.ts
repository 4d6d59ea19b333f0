import {
  type FieldError,
  field,
  type MutatingAdmissionPolicy,
  type MutatingAdmissionPolicyBinding,
  type MutatingAdmissionPolicySpec,
  type Mutation,
} from '@vireo/api';
import { admissionEnvironment } from '../../admission/expressions/environment.ts';
import { JSON_PATCH, OBJECT } from '../../admission/expressions/patchTypes.ts';
import { type CelType, type Environment, listType } from '../../cel/index.ts';
import { defineStrategy } from '../define.ts';
import { each, oneOf } from '../fields.ts';
import { expressionErrors, expressionsTooLong, validateMatchConditions, validateVariables } from './expressions.ts';
import { validateMatchConstraints, validateMatchResources, validateMutatingOperations } from './matchRules.ts';
import { validateParamKind, validateReferences } from './policyReferences.ts';

export const mutatingAdmissionPolicyStrategy = defineStrategy<MutatingAdmissionPolicy>({
  unconditionalUpdate: false,
  validate: ({ spec = {} }) => specErrors(spec),
});

export const mutatingAdmissionPolicyBindingStrategy = defineStrategy<MutatingAdmissionPolicyBinding>({
  unconditionalUpdate: false,
  validate: ({ spec = {} }) => [
    ...validateReferences(spec, 'spec'),
    ...validateMatchResources(spec.matchResources, 'spec.matchResources'),
    ...validateMutatingOperations(spec.matchResources, 'spec.matchResources'),
  ],
});

function specErrors(spec: MutatingAdmissionPolicySpec): FieldError[] {
  const tooLong = expressionsTooLong('spec', [
    ...(spec.matchConditions ?? []).map(({ expression }) => expression),
    ...(spec.variables ?? []).map(({ expression }) => expression),
    ...(spec.mutations ?? []).flatMap((each) => [each.applyConfiguration?.expression, each.jsonPatch?.expression]),
  ]);
  if (tooLong.length > 0) return tooLong;
  const params = spec.paramKind !== undefined;
  const { errors: variableErrors, types } = validateVariables(spec.variables, 'spec.variables', params);
  const environment = types.declareIn(admissionEnvironment({ params, authorizer: true, patches: true }));
  return [
    ...oneOf('spec.failurePolicy', spec.failurePolicy, ['Fail', 'Ignore'], 'required'),
    ...validateParamKind(spec.paramKind, 'spec.paramKind'),
    ...validateMatchConstraints(spec.matchConstraints, 'spec.matchConstraints'),
    ...validateMutatingOperations(spec.matchConstraints, 'spec.matchConstraints'),
    ...validateMatchConditions(spec.matchConditions, 'spec.matchConditions', params),
    ...variableErrors,
    ...(spec.mutations?.length ? [] : [field.required('spec.mutations', 'mutations must contain at least one item')]),
    ...each(spec.mutations, 'spec.mutations', (mutation, at) => mutationErrors(mutation, at, environment)),
    ...oneOf('spec.reinvocationPolicy', spec.reinvocationPolicy, ['IfNeeded', 'Never'], 'required'),
  ];
}

/** The two ways to change objects: the field that has the expression, and the type that it gives. */
const PATCHES: Readonly<Record<string, { own: PatchField; other: PatchField; type: CelType }>> = {
  ApplyConfiguration: { own: 'applyConfiguration', other: 'jsonPatch', type: OBJECT },
  JSONPatch: { own: 'jsonPatch', other: 'applyConfiguration', type: listType(JSON_PATCH) },
};
type PatchField = 'applyConfiguration' | 'jsonPatch';

function mutationErrors(mutation: Mutation, path: string, environment: Environment): FieldError[] {
  const { patchType = '' } = mutation;
  const patch = Object.hasOwn(PATCHES, patchType) ? PATCHES[patchType] : undefined;
  if (!patch) return oneOf(`${path}.patchType`, patchType, Object.keys(PATCHES), 'required');
  const [own, other] = [mutation[patch.own], mutation[patch.other]];
  return [
    ...(own
      ? patchErrors(own.expression ?? '', `${path}.${patch.own}.expression`, environment, patch.type)
      : [field.required(`${path}.${patch.own}`, `must be specified when patchType is ${patchType}`)]),
    ...(other
      ? [
          field.invalid(
            `${path}.${patch.other}`,
            `{${patch.other}}`,
            `must not be specified when patchType is ${patchType}`,
          ),
        ]
      : []),
  ];
}

const patchErrors = (source: string, path: string, environment: Environment, type: CelType): FieldError[] =>
  source.trim() ? expressionErrors(path, source, environment, [type]) : [field.required(path)];
