import { componentName, listComponentName } from '@vireo/api/openapi.ts';
import { apiResources } from '../discovery/resources.ts';
import { patchTypes } from '../patch/index.ts';
import type { Resource } from '../registry/resource.ts';

const DELETE_OPTIONS = 'io.k8s.apimachinery.pkg.apis.meta.v1.DeleteOptions';
const STATUS = 'io.k8s.apimachinery.pkg.apis.meta.v1.Status';

type Json = Record<string, unknown>;

const query = (name: string, description: string, type = 'string'): Json => ({
  name,
  in: 'query',
  description,
  schema: { type, uniqueItems: true },
});

const DRY_RUN = query('dryRun', 'All: run every check without storing anything.');
const FIELD_MANAGER = query('fieldManager', 'Name of the client that makes the change, for managedFields.');
const FIELD_VALIDATION = query(
  'fieldValidation',
  'What to do with unknown and duplicate fields: Ignore, Warn or Strict.',
);
const PRETTY = query('pretty', 'Ignored; the output is never indented.');
const WRITE_PARAMETERS = [DRY_RUN, FIELD_MANAGER, FIELD_VALIDATION];
const LIST_PARAMETERS = [
  query('labelSelector', 'Select objects by their labels.'),
  query('fieldSelector', 'Select objects by their fields.'),
  query('limit', 'Maximum number of items in one response.', 'integer'),
  query('continue', 'Token of the next page.'),
  query('resourceVersion', 'Constraint on the resource version of the response, or where a watch starts.'),
  query('resourceVersionMatch', 'How resourceVersion is applied: Exact or NotOlderThan.'),
  query('timeoutSeconds', 'Timeout of the watch in seconds.', 'integer'),
  query('watch', 'Watch for changes instead of listing.', 'boolean'),
  query('allowWatchBookmarks', 'Request bookmark events.', 'boolean'),
  query('sendInitialEvents', 'Start the watch with the current state.', 'boolean'),
];
const DELETE_PARAMETERS = [
  DRY_RUN,
  query('gracePeriodSeconds', 'Seconds that the object has to terminate.', 'integer'),
  query('propagationPolicy', 'What happens to dependents: Orphan, Background or Foreground.'),
];

const inPath = (name: string, description: string): Json => ({
  name,
  in: 'path',
  required: true,
  description,
  schema: { type: 'string', uniqueItems: true },
});

/** The paths of one resource with the operations that clients look for. */
export function resourcePaths(resource: Resource): Record<string, Json> {
  const { kind } = resource;
  const root = kind.group === '' ? `/api/${kind.version}` : `/apis/${kind.group}/${kind.version}`;
  const collection = kind.namespaced ? `${root}/namespaces/{namespace}/${kind.plural}` : `${root}/${kind.plural}`;
  const scope = kind.namespaced ? [inPath('namespace', 'The namespace of the object.')] : [];
  const named = [inPath('name', `The name of the ${kind.kind}.`), ...scope];
  const paths: Record<string, Json> = {};
  const verbs: readonly string[] = kind.virtual ? ['create'] : kind.verbs;
  paths[collection] = { parameters: [...scope, PRETTY], ...operations(resource, COLLECTION_OPERATIONS, verbs) };
  if (kind.virtual) return paths;
  if (kind.namespaced)
    paths[`${root}/${kind.plural}`] = {
      parameters: [PRETTY],
      ...operations(resource, { get: COLLECTION_OPERATIONS.get as Operation }, verbs),
    };
  paths[`${collection}/{name}`] = { parameters: [...named, PRETTY], ...operations(resource, OBJECT_OPERATIONS, verbs) };
  for (const { name, verbs: offered } of apiResources(resource).slice(1)) {
    const subresource = name.slice(kind.plural.length + 1);
    paths[`${collection}/{name}/${subresource}`] = {
      parameters: [...named, PRETTY],
      ...operations(resource, SUBRESOURCE_OPERATIONS, offered),
    };
  }
  return paths;
}

interface Operation {
  readonly verb: string;
  readonly action: string;
  readonly parameters: readonly Json[];
  readonly body?: 'object' | 'patch' | 'deleteOptions';
  readonly response: 'object' | 'list' | 'status';
}

const COLLECTION_OPERATIONS: Record<string, Operation> = {
  get: { verb: 'list', action: 'list', parameters: LIST_PARAMETERS, response: 'list' },
  post: { verb: 'create', action: 'post', parameters: WRITE_PARAMETERS, body: 'object', response: 'object' },
  delete: {
    verb: 'deletecollection',
    action: 'deletecollection',
    parameters: [...LIST_PARAMETERS, ...DELETE_PARAMETERS],
    body: 'deleteOptions',
    response: 'status',
  },
};

const OBJECT_OPERATIONS: Record<string, Operation> = {
  get: { verb: 'get', action: 'get', parameters: [], response: 'object' },
  put: { verb: 'update', action: 'put', parameters: WRITE_PARAMETERS, body: 'object', response: 'object' },
  patch: { verb: 'patch', action: 'patch', parameters: WRITE_PARAMETERS, body: 'patch', response: 'object' },
  delete: {
    verb: 'delete',
    action: 'delete',
    parameters: DELETE_PARAMETERS,
    body: 'deleteOptions',
    response: 'status',
  },
};

const SUBRESOURCE_OPERATIONS: Record<string, Operation> = {
  get: { verb: 'get', action: 'get', parameters: [], response: 'object' },
  put: { verb: 'update', action: 'put', parameters: WRITE_PARAMETERS, body: 'object', response: 'object' },
  patch: { verb: 'patch', action: 'patch', parameters: WRITE_PARAMETERS, body: 'patch', response: 'object' },
  post: { verb: 'create', action: 'post', parameters: WRITE_PARAMETERS, body: 'object', response: 'object' },
};

function operations(resource: Resource, table: Record<string, Operation>, verbs: readonly string[]): Json {
  return Object.fromEntries(
    Object.entries(table)
      .filter(([, { verb }]) => verbs.includes(verb))
      .map(([method, operation]) => [method, describe(resource, operation)]),
  );
}

const reference = (name: string): Json => ({ $ref: `#/components/schemas/${name}` });

function describe({ kind, custom }: Resource, { action, parameters, body, response }: Operation): Json {
  const name = componentName(kind);
  const schemas: Record<string, Json> = {
    object: reference(name),
    list: reference(listComponentName(kind)),
    status: reference(STATUS),
    patch: { type: 'object' },
    deleteOptions: reference(DELETE_OPTIONS),
  };
  const types = body === 'patch' ? patchTypes(!custom) : ['*/*'];
  return {
    'x-kubernetes-action': action,
    'x-kubernetes-group-version-kind': { group: kind.group, version: kind.version, kind: kind.kind },
    ...(parameters.length > 0 && { parameters }),
    ...(body && {
      requestBody: { content: Object.fromEntries(types.map((type) => [type, { schema: schemas[body] }])) },
    }),
    responses: {
      200: { description: 'OK', content: { 'application/json': { schema: schemas[response] } } },
      401: { description: 'Unauthorized' },
    },
  };
}
