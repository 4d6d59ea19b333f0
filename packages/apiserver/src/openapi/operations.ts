import {
  DeleteOptionsSchema,
  type ExtraSubresource,
  ScaleSchema,
  type Schema,
  StatusBodySchema,
  WatchEventSchema,
} from '@vireo/api';
import type { GroupVersionKind } from '@vireo/api/openapi.ts';
import { JSON_TYPE, PROTOBUF_TYPE, YAML_TYPE } from '../decode/body.ts';
import { apiResources } from '../discovery/resources.ts';
import { patchTypes } from '../patch/index.ts';
import { gvkOf } from '../registry/registry.ts';
import type { Resource } from '../registry/resource.ts';
import { operationId, operationTag, titled } from './operationIds.ts';
import {
  CHANGE,
  COLLECTION,
  CREATE,
  CUSTOM_CHANGE,
  CUSTOM_COLLECTION,
  LIST,
  type Method,
  OBJECT,
  type Template,
  type Templates,
  WATCH,
  WATCH_LIST,
} from './operationTemplates.ts';
import { CONNECT_PARAMETERS, inPath, LOG_PARAMETERS, type Parameter, PRETTY } from './parameters.ts';
import { PatchSchema, schemasOf } from './schemas.ts';

/** What can be done at a path by one method; both versions of OpenAPI are written from it. */
export interface Operation {
  readonly id: string;
  readonly tag: string;
  readonly description: string;
  readonly consumes: readonly string[];
  readonly produces: readonly string[];
  /** In the query and in the path. */
  readonly parameters: readonly Parameter[];
  readonly body?: { readonly schema: Schema; readonly required: boolean };
  /** What is answered, by its status; text where there is no schema. */
  readonly responses: Readonly<Record<number, Schema | undefined>>;
  /** `x-kubernetes-action` and `x-kubernetes-group-version-kind`. */
  readonly action?: string;
  readonly kind?: GroupVersionKind;
}

export interface ApiPath {
  readonly path: string;
  readonly operations: Readonly<Partial<Record<Method, Operation>>>;
}

/** The paths of one resource and of what lies below its objects. */
export function resourcePaths(resource: Resource): ApiPath[] {
  const { kind, custom } = resource;
  const root = kind.group === '' ? `/api/${kind.version}` : `/apis/${kind.group}/${kind.version}`;
  const scope = kind.namespaced ? [inPath('namespace', 'The namespace of the object.')] : [];
  const named = [inPath('name', `The name of the ${kind.kind}.`), ...scope];
  const collection = `${kind.namespaced ? '/namespaces/{namespace}' : ''}/${kind.plural}`;
  const object = `${collection}/{name}`;
  const verbs: readonly string[] = kind.virtual ? ['create'] : kind.verbs;
  const everywhere = { namespaced: '', suffix: 'ForAllNamespaces' };
  const made: [string, Operations][] = [
    [collection, operationsOf(resource, custom ? CUSTOM_COLLECTION : COLLECTION, verbs, scope)],
  ];
  if (kind.namespaced) made.push([`/${kind.plural}`, operationsOf(resource, { get: LIST }, verbs, [], everywhere)]);
  if (!kind.virtual)
    made.push([object, operationsOf(resource, custom ? { ...OBJECT, ...CUSTOM_CHANGE } : OBJECT, verbs, named)]);
  if (!custom && verbs.includes('watch')) {
    made.push([`/watch${collection}`, operationsOf(resource, { get: WATCH_LIST }, verbs, scope)]);
    made.push([`/watch${object}`, operationsOf(resource, { get: WATCH }, verbs, named)]);
    if (kind.namespaced)
      made.push([`/watch/${kind.plural}`, operationsOf(resource, { get: WATCH_LIST }, verbs, [], everywhere)]);
  }
  for (const { name, verbs: offered } of apiResources(resource).slice(1))
    made.push(...subresourcePaths(resource, name.slice(kind.plural.length + 1), offered, object, named));
  return made
    .filter(([, operations]) => Object.keys(operations).length > 0)
    .map(([path, operations]) => ({ path: root + path, operations }));
}

type Operations = ApiPath['operations'];

interface Place {
  readonly subresource?: ExtraSubresource;
  /** How the operation's name says where it reaches. Default: `Namespaced` for kinds that have namespaces. */
  readonly namespaced?: string;
  readonly suffix?: string;
}

function operationsOf(
  resource: Resource,
  templates: Templates,
  verbs: readonly string[],
  inPath: readonly Parameter[],
  place: Place = {},
): Operations {
  const offered = Object.entries(templates).filter(([, { verb }]) => verbs.includes(verb));
  return Object.fromEntries(
    offered.map(([method, template]) => [method, operationOf(resource, template, inPath, place)]),
  );
}

function operationOf(
  { kind, custom }: Resource,
  template: Template,
  inPath: readonly Parameter[],
  { subresource, namespaced = kind.namespaced ? 'Namespaced' : '', suffix = '' }: Place,
): Operation {
  const { object, list } = schemasOf(kind);
  const of = subresource?.name ?? '';
  const body = bodySchema(subresource) ?? object;
  const bodies = { object: body, patch: PatchSchema, deleteOptions: DeleteOptionsSchema };
  const answers = { object: body, list, status: StatusBodySchema, event: WatchEventSchema };
  const types = [JSON_TYPE, YAML_TYPE, ...(custom ? [] : [PROTOBUF_TYPE])];
  const streams = template.answer === 'list' || template.answer === 'event' ? STREAM_TYPES : [];
  return {
    id: operationId(
      template.word,
      kind.group,
      kind.version,
      `${template.beginning ?? ''}${namespaced}${kind.kind}${titled(of)}${template.ending ?? ''}${suffix}`,
    ),
    tag: operationTag(kind.group, kind.version),
    description: template.describe(kind.kind, of),
    consumes: template.body === 'patch' ? patchTypes(!custom) : custom ? types : ['*/*'],
    produces: custom ? types : [...types, ...streams],
    parameters: [...template.parameters, ...inPath, PRETTY],
    ...(template.body && {
      body: { schema: bodies[template.body], required: template.body !== 'deleteOptions' },
    }),
    responses: Object.fromEntries([200, ...(template.codes ?? [])].map((code) => [code, answers[template.answer]])),
    action: template.action,
    kind: custom ? gvkOf(kind) : kindOf(kind, subresource),
  };
}

const STREAM_TYPES = [`${JSON_TYPE};stream=watch`, `${PROTOBUF_TYPE};stream=watch`];

const bodySchema = (subresource: ExtraSubresource | undefined): Schema | undefined =>
  subresource?.name === 'scale' ? ScaleSchema : subresource?.schema;

function kindOf(kind: Resource['kind'], subresource: ExtraSubresource | undefined): GroupVersionKind {
  if (subresource?.name === 'scale') return { group: 'autoscaling', version: 'v1', kind: 'Scale' };
  const { group = kind.group, version = kind.version, kind: bodyKind = kind.kind } = subresource ?? {};
  return { ...gvkOf(kind), group, version, kind: bodyKind };
}

function subresourcePaths(
  resource: Resource,
  name: string,
  verbs: readonly string[],
  object: string,
  named: readonly Parameter[],
): [string, Operations][] {
  const subresource = resource.kind.subresources.find((candidate) => candidate.name === name) ?? { name, verbs };
  const path = `${object}/${name}`;
  const connect = CONNECT_PARAMETERS[subresource.kind ?? ''];
  if (connect) return connectPaths(resource, subresource, connect, path, named);
  const change = resource.custom ? CUSTOM_CHANGE : CHANGE;
  const operations = operationsOf(resource, { ...change, post: CREATE }, verbs, named, { subresource });
  if (name !== 'log' || !operations.get) return [[path, operations]];
  const parameters = [...LOG_PARAMETERS, ...operations.get.parameters];
  const produces = ['text/plain', ...operations.get.produces];
  return [[path, { get: { ...operations.get, parameters, produces, responses: { 200: undefined } } }]];
}

const METHODS: Readonly<Record<string, Method>> = {
  create: 'post',
  delete: 'delete',
  get: 'get',
  patch: 'patch',
  update: 'put',
};

/** What hands a connection through, by every method that it takes; a proxy does so for every path below it. */
function connectPaths(
  { kind }: Resource,
  subresource: ExtraSubresource,
  parameters: readonly Parameter[],
  path: string,
  named: readonly Parameter[],
): [string, Operations][] {
  const { group, version } = kind;
  const operations = (suffix: string, inPath: readonly Parameter[]): Operations =>
    Object.fromEntries(
      subresource.verbs.map((verb) => {
        const method = METHODS[verb] as Method;
        const rest = `${titled(method)}${kind.namespaced ? 'Namespaced' : ''}${kind.kind}${titled(subresource.name)}`;
        const operation: Operation = {
          id: operationId('connect', group, version, rest + suffix),
          tag: operationTag(group, version),
          description: `connect ${method.toUpperCase()} requests to ${subresource.name} of ${kind.kind}`,
          consumes: ['*/*'],
          produces: ['*/*'],
          parameters: [...parameters, ...inPath],
          responses: { 200: undefined },
          action: 'connect',
          kind: kindOf(kind, subresource),
        };
        return [method, operation];
      }),
    );
  const made: [string, Operations][] = [[path, operations('', named)]];
  if (subresource.name === 'proxy')
    made.push([`${path}/{path}`, operations('WithPath', [...named, inPath('path', 'The path of the request.')])]);
  return made;
}
