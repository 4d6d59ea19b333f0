import { createHash } from 'node:crypto';
import type { Schema } from '@vireo/api';
import type { ApiPath, Operation } from '../operations.ts';
import type { Parameter } from '../parameters.ts';
import { RESPONSES, splitParameters } from '../paths.ts';

type Json = Record<string, unknown>;

/** A path as OpenAPI v2 has it, and the parameters that it refers to, by name. */
export function pathV2({ operations }: ApiPath): {
  readonly value: Json;
  readonly parameters: ReadonlyMap<string, Json>;
} {
  const parameters = new Map<string, Json>();
  const share = (parameter: Json): Json => {
    const name = sharedName(parameter);
    if (name === undefined) return parameter;
    parameters.set(name, parameter);
    return { $ref: `#/parameters/${name}` };
  };
  const { shared, own } = splitParameters(operations);
  const value: Json = {};
  for (const [method, operation] of Object.entries(operations))
    value[method] = operationV2(operation, [...bodyV2(operation), ...own(operation).map(parameterV2)].map(share));
  if (shared.length > 0) value.parameters = shared.map(parameterV2).map(share);
  return { value, parameters };
}

const parameterV2 = ({ name, in: where, description, type, required }: Parameter): Json => ({
  uniqueItems: true,
  type,
  description,
  name,
  in: where,
  ...(required && { required }),
});

const reference = ({ name }: Schema): Json => ({ $ref: `#/definitions/${name}` });

const bodyV2 = ({ body }: Operation): Json[] =>
  body ? [{ name: 'body', in: 'body', ...(body.required && { required: true }), schema: reference(body.schema) }] : [];

/** Not for these: kubectl before 1.27 looks for them in the operation itself. */
const UNSHARED = ['name', 'dryRun', 'fieldValidation'];

/** What most operations take is written once. The name changes with what it says. */
function sharedName(parameter: Json): string | undefined {
  const name = parameter.name as string;
  const { $ref = '' } = (parameter.schema ?? {}) as { $ref?: string };
  if (UNSHARED.includes(name) || (name === 'body' && !$ref.startsWith('#/definitions/io.k8s.apimachinery')))
    return undefined;
  const hash = createHash('sha256').update(JSON.stringify(parameter)).digest('base64url').slice(0, 8);
  return `${name}-${hash}`;
}

function operationV2(operation: Operation, parameters: readonly Json[]): Json {
  const { id, tag, description, consumes, produces, responses, action, kind } = operation;
  const answers = Object.entries(responses).map(([code, schema]) => [
    code,
    { description: RESPONSES[code] ?? 'OK', schema: schema ? reference(schema) : { type: 'string' } },
  ]);
  return {
    description,
    consumes,
    produces,
    schemes: ['https'],
    tags: [tag],
    operationId: id,
    ...(parameters.length > 0 && { parameters }),
    responses: { ...Object.fromEntries(answers), 401: { description: 'Unauthorized' } },
    ...(action && { 'x-kubernetes-action': action }),
    ...(kind && { 'x-kubernetes-group-version-kind': kind }),
  };
}
