import type {
  Kind,
  MutatingAdmissionPolicy,
  MutatingAdmissionPolicyBinding,
  Persisted,
  Schema,
  UnknownObject,
} from '@vireo/api';
import { ApiError, groupVersion } from '@vireo/api';
import { isObject } from '@vireo/api/json.ts';
import { applyJsonPatch, JsonPatchError, JsonPatchTestFailed } from '@vireo/api/jsonPatch.ts';
import { CelError, type CelValue, toJson } from '../../cel/index.ts';
import { CostExceeded, withWork } from '../../cel/meter.ts';
import { isList } from '../../cel/values/values.ts';
import { merge } from '../../managedFields/merge.ts';
import { errorText, typeErrors } from '../../managedFields/typeErrors.ts';
import { activationOf, type Seen } from '../expressions/activation.ts';
import { COST_BUDGET, Evaluator, OutOfBudget } from '../expressions/evaluator.ts';
import { Made, typeNameErrors } from '../expressions/patchTypes.ts';
import { atomicPaths } from './atomics.ts';
import type { CompiledMutating } from './compile.ts';
import { jsonProblem } from './jsonProblem.ts';
import type { Invocation } from './types.ts';

export type MutatingInvocation = Invocation<
  Persisted<MutatingAdmissionPolicy>,
  Persisted<MutatingAdmissionPolicyBinding>,
  CompiledMutating
>;

/** Nobody could have sent a larger object. */
const MAX_BYTES = 3 * 1024 * 1024;

/** Why a mutation cannot be made. */
export class MutationError extends Error {}

/** The object after one mutation, before it is read as one of its kind again. Throws MutationError. */
export function mutated({ compiled }: MutatingInvocation, index: number, seen: Seen, object: UnknownObject): unknown {
  const { patchType, expression } = compiled.mutations[index] as CompiledMutating['mutations'][number];
  if (expression.error !== undefined) throw new MutationError(expression.error);
  const value = evaluate(new Evaluator(activationOf(seen), compiled.variables, COST_BUDGET), expression);
  const result = patchType === 'JSONPatch' ? patched(object, value) : applied(object, value, seen.request.kind);
  checkJson(result);
  return result;
}

function evaluate(evaluator: Evaluator, expression: CompiledMutating['mutations'][number]['expression']): CelValue {
  try {
    const outcome = evaluator.evaluate(expression);
    if (outcome.error !== undefined) throw new MutationError(outcome.error);
    return outcome.value;
  } catch (error) {
    throw error instanceof OutOfBudget ? new MutationError(error.message) : error;
  }
}

/** A test that fails is no error: the object then stays as it is. */
function patched(object: UnknownObject, operations: CelValue): unknown {
  const patch = jsonOf(operations, 'JSONPath valueExpression evaluated to a type that could not marshal to JSON');
  if (isList(operations)) for (let i = 0; i < operations.size; i++) checkValue(operations.get(i) as CelValue);
  try {
    return applyJsonPatch(object, patch);
  } catch (error) {
    if (error instanceof JsonPatchTestFailed) return object;
    if (error instanceof JsonPatchError) throw new MutationError(`JSON Patch: ${error.why}`);
    throw error instanceof ApiError ? new MutationError(`JSON Patch: ${error.message}`) : error;
  }
}

/** An object that is added has names of types by the path from its own root. */
function checkValue(operation: CelValue): void {
  const value = operation instanceof Made ? operation.fields.get('value') : undefined;
  if (!(value instanceof Made)) return;
  checkTypes(typeNameErrors(value, [value.type.name]));
}

function checkTypes(errors: readonly string[]): void {
  if (errors.length > 0) throw new MutationError(`type mismatch: ${errors.join('\n')}`);
}

function applied(object: UnknownObject, value: CelValue, kind: Kind): unknown {
  const json = jsonOf(value, 'invalid return type');
  checkTypes(typeNameErrors(value));
  if (!isObject(json)) throw new MutationError('invalid return type');
  const config = { ...json, apiVersion: groupVersion(kind.group, kind.version), kind: kind.kind };
  const schema = kind.schema as Schema;
  const failed = (why: string): MutationError => new MutationError(`error applying patch: ${why}`);
  const errors = typeErrors(config, schema);
  if (errors.length > 0) throw failed(`failed to convert patch object to typed object: ${errorText(errors)}`);
  const atomics = atomicPaths(config, schema);
  if (atomics.length > 0)
    throw failed(`invalid ApplyConfiguration: may not mutate atomic arrays, maps or structs: ${atomics.join(', ')}`);
  return merge(object, config, schema);
}

/** A value as JSON, checked before anybody copies it. */
function jsonOf(value: CelValue, failure: string): unknown {
  try {
    const json = withWork(() => toJson(value));
    if (json instanceof CelError) throw new MutationError(`${failure}: ${json.message}`);
    checkJson(json);
    return json;
  } catch (error) {
    throw error instanceof CostExceeded ? new MutationError(`${failure}: it is too large`) : error;
  }
}

function checkJson(json: unknown): void {
  const problem = jsonProblem(json, MAX_BYTES);
  if (problem !== undefined) throw new MutationError(problem);
}
