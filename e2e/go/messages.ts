import { builtinKinds, type Kind, type Schema } from '@vireo/api';
import type { FieldType, Message } from './wire.ts';

const of = (message: Message): FieldType => ({ message: () => message });
const listOf = (message: Message): FieldType => ({ list: of(message) });
const strings: FieldType = { list: 'string' };
const labels: FieldType = { map: 'string' };

// The numbers below are Kubernetes' own (generated.proto of k8s.io/api and k8s.io/apimachinery), not the kinds' data.
const ManagedFieldsEntry: Message = {
  manager: [1, 'string'],
  operation: [2, 'string'],
  apiVersion: [3, 'string'],
  time: [4, 'time'],
  fieldsType: [6, 'string'],
  fieldsV1: [7, 'json'],
  subresource: [8, 'string'],
};
export const ObjectMeta: Message = {
  name: [1, 'string'],
  generateName: [2, 'string'],
  namespace: [3, 'string'],
  uid: [5, 'string'],
  resourceVersion: [6, 'string'],
  generation: [7, 'int'],
  creationTimestamp: [8, 'time'],
  deletionTimestamp: [9, 'time'],
  deletionGracePeriodSeconds: [10, 'int'],
  labels: [11, labels],
  annotations: [12, labels],
  finalizers: [14, strings],
  managedFields: [17, listOf(ManagedFieldsEntry)],
};
const meta = of(ObjectMeta);
export const ListMeta: Message = {
  resourceVersion: [2, 'string'],
  continue: [3, 'string'],
  remainingItemCount: [4, 'int'],
};
const object = (fields: Message): Message => ({ metadata: [1, meta], ...fields });
export const list = (item: Message): Message => ({ metadata: [1, of(ListMeta)], items: [2, listOf(item)] });

export const ConfigMap = object({ data: [2, labels], binaryData: [3, { map: 'bytes' }], immutable: [4, 'bool'] });
export const Namespace = object({
  spec: [2, of({ finalizers: [1, strings] })],
  status: [3, of({ phase: [1, 'string'] })],
});
const Container: Message = {
  name: [1, 'string'],
  image: [2, 'string'],
  command: [3, strings],
  args: [4, strings],
  ports: [6, listOf({ name: [1, 'string'], hostPort: [2, 'int'], containerPort: [3, 'int'], protocol: [4, 'string'] })],
  env: [7, listOf({ name: [1, 'string'], value: [2, 'string'] })],
  resources: [8, of({ limits: [1, { map: 'quantity' }], requests: [2, { map: 'quantity' }] })],
  imagePullPolicy: [14, 'string'],
};
const PodSpec: Message = {
  containers: [2, listOf(Container)],
  restartPolicy: [3, 'string'],
  terminationGracePeriodSeconds: [4, 'int'],
  nodeSelector: [7, labels],
  nodeName: [10, 'string'],
  hostNetwork: [11, 'bool'],
  schedulerName: [19, 'string'],
};
/** What is sent of a pod; what is read of it has more. */
export const Pod = object({ spec: [2, of(PodSpec)] });
export const Deployment = object({
  spec: [
    2,
    of({
      replicas: [1, 'int'],
      selector: [2, of({ matchLabels: [1, labels] })],
      template: [3, of(object({ spec: [2, of(PodSpec)] }))],
      strategy: [
        4,
        of({
          type: [1, 'string'],
          rollingUpdate: [2, of({ maxUnavailable: [1, 'intOrString'], maxSurge: [2, 'intOrString'] })],
        }),
      ],
      minReadySeconds: [5, 'int'],
      paused: [7, 'bool'],
    }),
  ],
});
export const DeleteOptions: Message = {
  gracePeriodSeconds: [1, 'int'],
  preconditions: [2, of({ uid: [1, 'string'], resourceVersion: [2, 'string'] })],
  orphanDependents: [3, 'bool'],
  propagationPolicy: [4, 'string'],
  dryRun: [5, strings],
};
export const Eviction = object({ deleteOptions: [2, of(DeleteOptions)] });
export const Binding = object({
  target: [2, of({ kind: [1, 'string'], namespace: [2, 'string'], name: [3, 'string'] })],
});
export const Scale = object({
  spec: [2, of({ replicas: [1, 'int'] })],
  status: [3, of({ replicas: [1, 'int'], selector: [2, 'string'] })],
});
export const TokenRequest = object({
  spec: [2, of({ audiences: [1, strings], expirationSeconds: [4, 'int'] })],
  status: [3, of({ token: [1, 'string'], expirationTimestamp: [2, 'time'] })],
});
export const SelfSubjectAccessReview = object({
  spec: [
    2,
    of({ resourceAttributes: [1, of({ namespace: [1, 'string'], verb: [2, 'string'], resource: [5, 'string'] })] }),
  ],
  status: [3, of({ allowed: [1, 'bool'], reason: [2, 'string'], evaluationError: [3, 'string'], denied: [4, 'bool'] })],
});
export const Status: Message = {
  metadata: [1, of(ListMeta)],
  status: [2, 'string'],
  message: [3, 'string'],
  reason: [4, 'string'],
  details: [
    5,
    of({
      name: [1, 'string'],
      group: [2, 'string'],
      kind: [3, 'string'],
      causes: [4, listOf({ reason: [1, 'string'], message: [2, 'string'], field: [3, 'string'] })],
      retryAfterSeconds: [5, 'int'],
      uid: [6, 'string'],
    }),
  ],
  code: [6, 'int'],
};
export const PartialObjectMetadata = object({});
export const APIResourceList: Message = {
  groupVersion: [1, 'string'],
  resources: [
    2,
    listOf({
      name: [1, 'string'],
      namespaced: [2, 'bool'],
      kind: [3, 'string'],
      verbs: [4, 'strings'],
      shortNames: [5, strings],
      singularName: [6, 'string'],
      categories: [7, strings],
      group: [8, 'string'],
      version: [9, 'string'],
      storageVersionHash: [10, 'string'],
    }),
  ],
};

/** The message of any built-in kind, with the numbers of its data. */
export const messageOfKind = (kind: Kind): Message => messageOf(kind.schema as Schema);

const known = new WeakMap<object, Message>();

function messageOf({ properties = {} }: Schema): Message {
  const before = known.get(properties);
  if (before) return before;
  const message: Record<string, Message[string]> = {};
  known.set(properties, message);
  for (const [name, { schema, proto }] of Object.entries(properties)) {
    if (proto === undefined) continue;
    const [number = 0, ...inner] = typeof proto === 'number' ? [proto] : proto;
    message[name] = [number, typeOf(schema), ...inner];
  }
  return message;
}

const SPECIAL: Readonly<Record<string, FieldType>> = {
  quantity: 'quantity',
  time: 'time',
  microTime: 'microTime',
  intOrString: 'intOrString',
  raw: 'json',
  strings: 'strings',
};

function typeOf(schema: Schema): FieldType {
  const { protoMessage, type, items, values, format } = schema;
  const special = SPECIAL[protoMessage ?? ''];
  if (special) return special;
  if (protoMessage) return schemaOr(protoMessage);
  if (type === 'array' && items) return { list: typeOf(items) };
  if (type === 'object' && values) return { map: typeOf(values) };
  if (type === 'integer') return 'int';
  if (type === 'boolean') return 'bool';
  if (type === 'number') return 'double';
  if (type === 'string') return format === 'byte' ? 'bytes' : 'string';
  return { message: () => messageOf(schema) };
}

/** `JSONSchemaPropsOrBool` and its kin, which only definitions have. */
function schemaOr(name: string): FieldType {
  const schema: FieldType = { message: () => messageOf(schemaOfDefinitions()) };
  if (name === 'JSONSchemaPropsOrBool') return { schema, schemaNumber: 2, other: 'bool', otherNumber: 1 };
  if (name === 'JSONSchemaPropsOrArray') return { schema, schemaNumber: 1, other: { list: schema }, otherNumber: 2 };
  return { schema, schemaNumber: 1, other: strings, otherNumber: 2 };
}

function schemaOfDefinitions(): Schema {
  const definition = builtinKinds.find(({ kind }) => kind === 'CustomResourceDefinition') as unknown as Kind;
  const at = (schema: Schema | undefined, name: string) => schema?.properties?.[name]?.schema as Schema;
  const version = at(at(definition.schema as Schema, 'spec'), 'versions').items;
  return at(at(version, 'schema'), 'openAPIV3Schema');
}
