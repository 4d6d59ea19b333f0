import type { MutatingAdmissionPolicy, ValidatingAdmissionPolicy, Variable } from '@vireo/api';
import { BOOL, type Environment, listType, NULL, STRING } from '../../cel/index.ts';
import { admissionEnvironment, VariableTypes } from '../expressions/environment.ts';
import type { NamedExpression } from '../expressions/evaluator.ts';
import { compileExpression, type Expression, lazyExpression } from '../expressions/expression.ts';
import { compileMatchConditions } from '../expressions/matchConditions.ts';
import { JSON_PATCH, OBJECT } from '../expressions/patchTypes.ts';

/** A ValidatingAdmissionPolicy, ready to be evaluated. What does not compile says so when it is evaluated. */
export interface CompiledValidating {
  readonly conditions: readonly Expression[];
  readonly variables: readonly NamedExpression[];
  readonly validations: readonly Expression[];
  /** Of the validation at the same place, if it has one. */
  readonly messages: readonly (Expression | undefined)[];
  readonly annotations: readonly Expression[];
}

/** A MutatingAdmissionPolicy, ready to be evaluated. */
export interface CompiledMutating {
  readonly conditions: readonly Expression[];
  readonly variables: readonly NamedExpression[];
  readonly mutations: readonly { readonly patchType: string; readonly expression: Expression }[];
}

export function compileValidating({ spec = {} }: ValidatingAdmissionPolicy): CompiledValidating {
  const params = spec.paramKind !== undefined;
  const { variables, types } = compileVariables(spec.variables, params);
  const environment = types.declareIn(admissionEnvironment({ params, authorizer: true }));
  const messages = types.declareIn(admissionEnvironment({ params }));
  return {
    conditions: compileMatchConditions(spec.matchConditions, { params }),
    variables,
    validations: (spec.validations ?? []).map(({ expression }) => lazyExpression(expression, environment, [BOOL])),
    messages: (spec.validations ?? []).map(({ messageExpression }) =>
      messageExpression ? lazyExpression(messageExpression, messages, [STRING]) : undefined,
    ),
    annotations: (spec.auditAnnotations ?? []).map(({ valueExpression }) =>
      lazyExpression(valueExpression, environment, [STRING, NULL]),
    ),
  };
}

export function compileMutating({ spec = {} }: MutatingAdmissionPolicy): CompiledMutating {
  const params = spec.paramKind !== undefined;
  const { variables, types } = compileVariables(spec.variables, params);
  const environment = types.declareIn(admissionEnvironment({ params, authorizer: true, patches: true }));
  return {
    conditions: compileMatchConditions(spec.matchConditions, { params }),
    variables,
    mutations: (spec.mutations ?? []).map(({ patchType, applyConfiguration, jsonPatch }) => ({
      patchType,
      expression:
        patchType === 'JSONPatch'
          ? lazyExpression(jsonPatch?.expression ?? '', environment, [listType(JSON_PATCH)])
          : lazyExpression(applyConfiguration?.expression ?? '', environment, [OBJECT]),
    })),
  };
}

function compileVariables(
  variables: readonly Variable[] = [],
  params: boolean,
): { variables: NamedExpression[]; types: VariableTypes } {
  const types = new VariableTypes();
  const environment: Environment = types.declareIn(admissionEnvironment({ params, authorizer: true }));
  const compiled = variables.map(({ name, expression }) => {
    const result = compileExpression(expression, environment);
    types.add(name, result.program?.type);
    return { ...result, name };
  });
  return { variables: compiled, types };
}
