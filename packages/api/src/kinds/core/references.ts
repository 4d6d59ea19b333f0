import { type Infer, opt, req, string, struct } from '../../schema.ts';

export const LocalObjectReference = struct(
  'io.k8s.api.core.v1.LocalObjectReference',
  '',
  {
    name: opt(1, string),
  },
  { mapType: 'atomic' },
);
export interface LocalObjectReference extends Infer<typeof LocalObjectReference> {}

export const ObjectReference = struct(
  'io.k8s.api.core.v1.ObjectReference',
  '',
  {
    apiVersion: opt(5, string),
    fieldPath: opt(7, string),
    kind: opt(1, string),
    name: opt(3, string),
    namespace: opt(2, string),
    resourceVersion: opt(6, string),
    uid: opt(4, string),
  },
  { mapType: 'atomic' },
);
export interface ObjectReference extends Infer<typeof ObjectReference> {}

export const SecretReference = struct(
  'io.k8s.api.core.v1.SecretReference',
  '',
  {
    name: opt(1, string),
    namespace: opt(2, string),
  },
  { mapType: 'atomic' },
);
export interface SecretReference extends Infer<typeof SecretReference> {}

export const TypedLocalObjectReference = struct(
  'io.k8s.api.core.v1.TypedLocalObjectReference',
  '',
  {
    apiGroup: opt(1, string),
    kind: req(2, string),
    name: req(3, string),
  },
  { mapType: 'atomic' },
);
export interface TypedLocalObjectReference extends Infer<typeof TypedLocalObjectReference> {}

export const TypedObjectReference = struct('io.k8s.api.core.v1.TypedObjectReference', '', {
  apiGroup: opt(1, string),
  kind: req(2, string),
  name: req(3, string),
  namespace: opt(4, string),
});
export interface TypedObjectReference extends Infer<typeof TypedObjectReference> {}
