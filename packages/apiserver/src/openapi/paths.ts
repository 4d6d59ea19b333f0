import type { Schema } from '@vireo/api';
import type { ApiPath, Operation } from './operations.ts';
import type { Parameter } from './parameters.ts';

type Json = Record<string, unknown>;

/** A path as OpenAPI v3 has it. */
export function pathV3({ operations }: ApiPath): Json {
  const { shared, own } = splitParameters(operations);
  const methods = Object.entries(operations).map(([method, operation]) => [method, operationV3(operation, own)]);
  return { ...(shared.length > 0 && { parameters: shared.map(parameterV3) }), ...Object.fromEntries(methods) };
}

/** What all operations of a path take stands beside them; `own` leaves it out. Both are sorted by name. */
export function splitParameters(operations: ApiPath['operations']) {
  const all = Object.values(operations).map(({ parameters }) => parameters);
  const keyOf = ({ name, in: where }: Parameter): string => `${name} ${where}`;
  const [first = [], ...others] = all.map((parameters) => new Map(parameters.map((each) => [keyOf(each), each])));
  const shared = [...first].filter(([key]) => others.every((parameters) => parameters.has(key)));
  const isShared = new Set(shared.map(([key]) => key));
  return {
    shared: sorted(shared.map(([, parameter]) => parameter)),
    own: ({ parameters }: Operation): Parameter[] => sorted(parameters.filter((each) => !isShared.has(keyOf(each)))),
  };
}

const sorted = (parameters: Parameter[]): Parameter[] =>
  parameters.sort((a, b) => (a.name < b.name ? -1 : a.name > b.name ? 1 : 0));

const parameterV3 = ({ name, in: where, description, type, required }: Parameter): Json => ({
  name,
  in: where,
  ...(required && { required }),
  description,
  schema: { type, uniqueItems: true },
});

const reference = ({ name }: Schema): Json => ({ $ref: `#/components/schemas/${name}` });

function operationV3(operation: Operation, own: (operation: Operation) => Parameter[]): Json {
  const { id, tag, description, consumes, body, responses, action, kind } = operation;
  const parameters = own(operation).map(parameterV3);
  const content = (types: readonly string[], schema: Json) =>
    Object.fromEntries(types.map((type) => [type, { schema }]));
  const answers = Object.entries(responses).map(([code, schema]) => [
    code,
    {
      description: RESPONSES[code] ?? 'OK',
      content: schema ? content(['application/json'], reference(schema)) : content(['text/plain'], { type: 'string' }),
    },
  ]);
  return {
    tags: [tag],
    description,
    operationId: id,
    ...(parameters.length > 0 && { parameters }),
    ...(body && {
      requestBody: {
        content: content(bodyTypes(consumes), reference(body.schema)),
        ...(body.required && { required: true }),
      },
    }),
    responses: { ...Object.fromEntries(answers), 401: { description: 'Unauthorized' } },
    ...(action && { 'x-kubernetes-action': action }),
    ...(kind && { 'x-kubernetes-group-version-kind': kind }),
  };
}

/** What each status is called. */
export const RESPONSES: Readonly<Record<string, string>> = { 200: 'OK', 201: 'Created', 202: 'Accepted' };

const isPatch = (types: readonly string[]): boolean => types.some((type) => type.includes('patch'));

/** Everything but a patch may be written in any way. */
const bodyTypes = (consumes: readonly string[]): readonly string[] => (isPatch(consumes) ? consumes : ['*/*']);
