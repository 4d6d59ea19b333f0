import { createHash } from 'node:crypto';
import { type Schema, StatusBodySchema } from '@vireo/api';
import { KUBEVIRT_VERSION, SUBRESOURCE_GROUP } from '@vireo/api/kinds/kubevirt/names.ts';
import { toOpenApi } from '@vireo/api/openapi.ts';
import type { Action, ActionGroup, QueryParameter } from './action.ts';
import { ACTION_GROUPS, DIALECTS, type Method } from './dialects.ts';
import { methodsOf, verbOf } from './methods.ts';
import { isPathNamespaced, RESOURCES } from './resources.ts';
import { canSucceed, refusalsOf, successOf } from './responses.ts';

type Json = Record<string, unknown>;

const PREFIX = '/openapi/v3';

/** The index of documents and each of them, by path; undefined for other paths. */
export function openApiDocument(actions: readonly Action[], path: string): Json | undefined {
  if (path === PREFIX) return { paths: Object.fromEntries(GROUP_VERSIONS.map((each) => indexEntry(actions, each))) };
  const found = GROUP_VERSIONS.find(({ group, version }) => path === `${PREFIX}/apis/${group}/${version}`);
  return found && documentOf(actions, found);
}

interface GroupVersion {
  readonly group: ActionGroup;
  readonly version: string;
}

const GROUP_VERSIONS: readonly GroupVersion[] = ACTION_GROUPS.flatMap((group) =>
  DIALECTS[group].versions.map((version) => ({ group, version })),
);

function indexEntry(actions: readonly Action[], of: GroupVersion): [string, Json] {
  const path = `apis/${of.group}/${of.version}`;
  const hash = createHash('sha256')
    .update(JSON.stringify(documentOf(actions, of)))
    .digest('hex')
    .slice(0, 32)
    .toUpperCase();
  return [path, { serverRelativeURL: `${PREFIX}/${path}?hash=${hash}` }];
}

const known = new WeakMap<readonly Action[], Map<string, Json>>();

/** Tables never change: each document is put together once. */
function documentOf(actions: readonly Action[], of: GroupVersion): Json {
  const documents = known.get(actions) ?? new Map<string, Json>();
  known.set(actions, documents);
  const key = `${of.group}/${of.version}`;
  const document = documents.get(key) ?? newDocument(actions, of);
  documents.set(key, document);
  return document;
}

function newDocument(actions: readonly Action[], of: GroupVersion): Json {
  const own = actions.filter(({ group }) => group === of.group);
  const byPath = Map.groupBy(own, (action) => pathOf(action, of));
  const used = own.flatMap((action) => [action.body as Schema | undefined, successOf(action).schema]);
  const bodies = used.flatMap((schema) => schema?.items ?? schema ?? []).filter(({ name }) => name !== undefined);
  return {
    openapi: '3.0.0',
    info: { title: of.group, version: KUBEVIRT_VERSION },
    paths: {
      ...Object.fromEntries([...byPath].map(([path, alike]) => [path, Object.assign({}, ...alike.map(operations))])),
      ...(of.group === SUBRESOURCE_GROUP && installationPaths(of)),
    },
    components: { schemas: toOpenApi([StatusBodySchema, ...bodies]) },
  };
}

/** What is about the installation and no object. */
const installationPaths = ({ group, version }: GroupVersion): Json => ({
  [`/apis/${group}/${version}/guestfs`]: getOperation(
    'guestfs',
    'Returns the libguestfs-tools image for `virtctl guestfs`.',
    ['registry', 'tag', 'digest', 'imagePrefix', 'gsImage'],
  ),
  [`/apis/${group}/${version}/version`]: getOperation(
    'version',
    'Returns the KubeVirt version that this server implements.',
    ['gitVersion', 'gitCommit', 'gitTreeState', 'buildDate', 'goVersion', 'compiler', 'platform'],
  ),
});

const getOperation = (name: string, description: string, fields: readonly string[]): Json => ({
  get: {
    operationId: `getKubevirt${capitalise(name)}`,
    description,
    'x-kubernetes-action': 'get',
    responses: {
      200: {
        description: 'Success.',
        content: {
          'application/json': {
            schema: {
              type: 'object',
              required: fields,
              properties: Object.fromEntries(fields.map((field) => [field, { type: 'string' }])),
            },
          },
        },
      },
      401: refusal('The caller is not authenticated.'),
      403: refusal(`The caller lacks permission to get ${name}.`),
    },
  },
});

function pathOf({ resource, name, parameters = [] }: Action, { group, version }: GroupVersion): string {
  const scope = isPathNamespaced(resource) ? '/namespaces/{namespace}' : '';
  const tail = parameters.map((parameter) => `/{${parameter.replace('?', '')}}`).join('');
  return `/apis/${group}/${version}${scope}/${resource}/{name}/${name}${tail}`;
}

function operations(action: Action): Json {
  const { resource, parameters = [] } = action;
  const { group, version, kind } = RESOURCES[resource];
  const inPath = [...(isPathNamespaced(resource) ? ['namespace'] : []), 'name', ...parameters];
  return {
    parameters: inPath.map((parameter) => ({
      name: parameter.replace('?', ''),
      in: 'path',
      required: true,
      schema: { type: 'string' },
    })),
    ...Object.fromEntries(
      methodsOf(action).map((method) => [
        method.toLowerCase(),
        { ...operation(action, method), 'x-kubernetes-group-version-kind': { group, version, kind } },
      ]),
    ),
  };
}

function operation(action: Action, method: Method): Json {
  const { group, resource, name, summary, body, takesData, query = [] } = action;
  const [, owner = ''] = group.split('.');
  const id = [verbOf(method), owner, resource, ...name.split('/')].map(capitalise).join('');
  return {
    operationId: id.charAt(0).toLowerCase() + id.slice(1),
    description: summary,
    'x-kubernetes-action': method.toLowerCase(),
    parameters: [
      ...(method === 'GET' ? [] : [{ name: 'dryRun', in: 'query', schema: { type: 'string', enum: ['All'] } }]),
      ...query.map(queryParameter),
    ],
    ...(body?.name && {
      requestBody: { content: { 'application/json': { schema: reference(body.name) } } },
    }),
    ...(takesData && { requestBody: { content: { '*/*': { schema: { type: 'string', format: 'binary' } } } } }),
    responses: responses(action),
  };
}

const queryParameter = ({ name, type, description, isRequired = false }: QueryParameter): Json => ({
  name,
  in: 'query',
  description,
  required: isRequired,
  schema: { type },
});

function responses(action: Action): Json {
  const { status, schema, contentType = 'application/json' } = successOf(action);
  const content = schema && { [contentType]: { schema: schema.name ? reference(schema.name) : inline(schema) } };
  const done = { [status]: { description: DONE[status], ...(content && { content }) } };
  const refusals = Object.entries(refusalsOf(action)).map(([code, why]) => [code, refusal(why)]);
  return { ...(canSucceed(action) && done), ...Object.fromEntries(refusals) };
}

const DONE = { 101: 'The stream is open.', 200: 'Success.', 202: 'Accepted.', 204: 'Success, without a body.' };

const inline = (schema: Schema): Json => toOpenApi([{ ...schema, name: 'inline' }]).inline as unknown as Json;

const capitalise = (word: string): string => word.charAt(0).toUpperCase() + word.slice(1).replaceAll('-', '');
const reference = (name: string): Json => ({ $ref: `#/components/schemas/${name}` });
const refusal = (description: string): Json => ({
  description,
  content: { 'application/json': { schema: reference(StatusBodySchema.name ?? '') } },
});
