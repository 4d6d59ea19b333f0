import {
  anyObject,
  boolean,
  type Infer,
  int64,
  list,
  map,
  opt,
  type Property,
  req,
  type Schema,
  string,
  struct,
  time,
} from './schema.ts';

export const OwnerReference = struct(
  'io.k8s.apimachinery.pkg.apis.meta.v1.OwnerReference',
  'Names an object that this one belongs to. When the owner goes, the garbage collector removes its dependents.',
  {
    apiVersion: req(5, string, 'Group and version of the owner.'),
    blockOwnerDeletion: opt(7, boolean, {
      pointer: true,
      doc: 'Whether a foreground deletion of the owner waits for this object.',
    }),
    controller: opt(6, boolean, {
      pointer: true,
      doc: 'Whether the owner is the controller that manages this object.',
    }),
    kind: req(1, string, 'Kind of the owner.'),
    name: req(3, string, 'Name of the owner.'),
    uid: req(4, string, 'UID of the owner.'),
  },
  { mapType: 'atomic' },
);
export interface OwnerReference extends Infer<typeof OwnerReference> {}

/** In protobuf its JSON stands as bytes in field 1. */
const FieldsV1: Schema<Record<string, unknown>> = {
  ...anyObject,
  name: 'io.k8s.apimachinery.pkg.apis.meta.v1.FieldsV1',
  description: 'A set of fields, as a tree.',
};

export const ManagedFieldsEntry = struct(
  'io.k8s.apimachinery.pkg.apis.meta.v1.ManagedFieldsEntry',
  'The fields that one manager set, and when.',
  {
    apiVersion: opt(3, string, 'Version of the kind that fieldsV1 speaks of.'),
    fieldsType: opt(6, string, 'Format of fieldsV1; always FieldsV1.'),
    fieldsV1: opt(7, FieldsV1, 'The set of fields, as a tree.'),
    manager: opt(1, string, 'Name of the client that set the fields.'),
    operation: opt(2, string, 'Type of the request: Apply or Update.'),
    subresource: opt(8, string, 'The subresource through which the fields were set.'),
    time: opt(4, time, 'When the set of fields last changed.'),
  },
);

export const ObjectMeta = struct(
  'io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta',
  'Metadata of a stored object: its name, labels, owners and creation time.',
  {
    annotations: opt(12, map(string), 'Free-form notes that tools keep on the object; not for selecting.'),
    creationTimestamp: opt(8, time, 'When the server made the object. Read-only.'),
    deletionGracePeriodSeconds: opt(10, int64, {
      pointer: true,
      doc: 'Seconds the object has to end by itself. Read-only.',
    }),
    deletionTimestamp: opt(9, time, 'When the object is to be gone. Read-only; set by a graceful deletion.'),
    finalizers: opt(14, list(string, 'set'), {
      patch: 'merge',
      doc: 'Finalizers that must be removed before the object is deleted.',
    }),
    generateName: opt(2, string, 'Prefix of a name that the server completes when name is empty.'),
    generation: opt(7, int64, 'Counts the changes of the desired state. Read-only.'),
    labels: opt(11, map(string), 'Keys and values to select and group objects by.'),
    managedFields: opt(17, list(ManagedFieldsEntry, 'atomic'), 'Which manager set which fields.'),
    name: opt(1, string, 'Unique within the namespace and the kind. Cannot be changed.'),
    namespace: opt(3, string, 'The namespace that the name is unique in. Cannot be changed.'),
    ownerReferences: opt(13, list(OwnerReference, ['uid']), {
      patch: 'merge',
      key: 'uid',
      doc: 'The objects that this one depends on.',
    }),
    resourceVersion: opt(6, string, 'Opaque version for conflict detection and watches. Read-only.'),
    selfLink: opt(4, string, 'No longer set by the server.'),
    uid: opt(5, string, 'Unique in time and space. Read-only.'),
  },
);
export interface ObjectMeta extends Infer<typeof ObjectMeta> {}

const ShardInfo = struct('io.k8s.apimachinery.pkg.apis.meta.v1.ShardInfo', 'Which part of a sharded list this is.', {
  selector: req(1, string, 'The shard selector that was applied.'),
});

export const ListMeta = struct(
  'io.k8s.apimachinery.pkg.apis.meta.v1.ListMeta',
  'Metadata of a list: the version to watch from, and how to get the next page.',
  {
    continue: opt(3, string, 'Token for the next page; empty on the last one.'),
    remainingItemCount: opt(4, int64, { pointer: true, doc: 'How many items follow this page.' }),
    resourceVersion: opt(2, string, 'The version at which the list was made.'),
    selfLink: opt(1, string, 'No longer set by the server.'),
    shardInfo: opt(5, ShardInfo, 'Present when the list was asked for in shards.'),
  },
);
export interface ListMeta extends Infer<typeof ListMeta> {}

/** Any object that the API serves. */
export interface KubeObject {
  apiVersion: string;
  kind: string;
  metadata: ObjectMeta;
}

/** What the server fills in when it stores an object. */
export interface PersistedMeta extends ObjectMeta {
  name: string;
  uid: string;
  resourceVersion: string;
  creationTimestamp: string;
}

/** An object as the server hands it out. Only drafts lack a name, a uid and a version. */
export type Persisted<T extends KubeObject = KubeObject> = T & { metadata: PersistedMeta };

/** An object whose fields beyond the metadata are not known at compile time. */
export interface UnknownObject extends KubeObject {
  [field: string]: unknown;
}

export interface KubeList<T extends KubeObject = UnknownObject> {
  apiVersion: string;
  kind: string;
  metadata: ListMeta;
  items: T[];
}

/**
 * The fields that every stored kind starts with: `struct(name, doc, { ...objectFields, spec: … })`.
 * Clients may leave them out on the wire, but every object in our hands has them, so the type says so.
 */
export const objectFields = {
  apiVersion: opt(
    undefined,
    string,
    'Group and version of this object’s schema.',
  ) as Property<string> as Always<string>,
  kind: opt(undefined, string, 'Kind of this object.') as Property<string> as Always<string>,
  metadata: opt(1, ObjectMeta, 'Name, labels, owners and the like.') as Property<ObjectMeta> as Always<ObjectMeta>,
} as const;

type Always<T> = Property<T, true>;

export const groupVersion = (group: string, version: string): string =>
  group === '' ? version : `${group}/${version}`;
