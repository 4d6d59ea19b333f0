import { type Infer, opt, req, string, struct } from '../../schema.ts';

export const LocalObjectReference = struct(
  'io.k8s.api.core.v1.LocalObjectReference',
  'Refers to an object in the same namespace.',
  {
    name: opt(1, string, 'Name of the object.'),
  },
  { mapType: 'atomic' },
);
export interface LocalObjectReference extends Infer<typeof LocalObjectReference> {}

export const ObjectReference = struct(
  'io.k8s.api.core.v1.ObjectReference',
  'Refers to an object, or to a part of it.',
  {
    apiVersion: opt(5, string, 'Group and version of the object.'),
    fieldPath: opt(7, string, 'The part that is meant, such as spec.containers{web}.'),
    kind: opt(1, string, 'Kind of the object.'),
    name: opt(3, string, 'Name of the object.'),
    namespace: opt(2, string, 'Namespace of the object.'),
    resourceVersion: opt(6, string, 'The version of the object that is meant.'),
    uid: opt(4, string, 'UID of the object.'),
  },
  { mapType: 'atomic' },
);
export interface ObjectReference extends Infer<typeof ObjectReference> {}

export const SecretReference = struct(
  'io.k8s.api.core.v1.SecretReference',
  'Refers to a Secret in any namespace.',
  {
    name: opt(1, string, 'Name of the object.'),
    namespace: opt(2, string, 'Namespace of the object.'),
  },
  { mapType: 'atomic' },
);
export interface SecretReference extends Infer<typeof SecretReference> {}

export const TypedLocalObjectReference = struct(
  'io.k8s.api.core.v1.TypedLocalObjectReference',
  'Refers to an object of any kind in the same namespace.',
  {
    apiGroup: opt(1, string, { pointer: true, doc: 'Group of the object; empty for the core group.' }),
    kind: req(2, string, 'Kind of the object.'),
    name: req(3, string, 'Name of the object.'),
  },
  { mapType: 'atomic' },
);
export interface TypedLocalObjectReference extends Infer<typeof TypedLocalObjectReference> {}

export const TypedObjectReference = struct(
  'io.k8s.api.core.v1.TypedObjectReference',
  'Refers to an object of any kind, in another namespace if a ReferenceGrant allows it.',
  {
    apiGroup: opt(1, string, { pointer: true, doc: 'Group of the object; empty for the core group.' }),
    kind: req(2, string, 'Kind of the object.'),
    name: req(3, string, 'Name of the object.'),
    namespace: opt(4, string, { pointer: true, doc: 'Namespace of the object.' }),
  },
);
export interface TypedObjectReference extends Infer<typeof TypedObjectReference> {}
