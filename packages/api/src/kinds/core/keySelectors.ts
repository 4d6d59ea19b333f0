import { boolean, type Infer, int32, opt, quantity, req, string, struct } from '../../schema.ts';

export const ConfigMapKeySelector = struct(
  'io.k8s.api.core.v1.ConfigMapKeySelector',
  '',
  {
    key: req(2, string),
    name: opt([1, 1], string),
    optional: opt(3, boolean),
  },
  { mapType: 'atomic' },
);
export interface ConfigMapKeySelector extends Infer<typeof ConfigMapKeySelector> {}

export const SecretKeySelector = struct(
  'io.k8s.api.core.v1.SecretKeySelector',
  '',
  {
    key: req(2, string),
    name: opt([1, 1], string),
    optional: opt(3, boolean),
  },
  { mapType: 'atomic' },
);
export interface SecretKeySelector extends Infer<typeof SecretKeySelector> {}

export const FileKeySelector = struct(
  'io.k8s.api.core.v1.FileKeySelector',
  '',
  {
    key: req(3, string),
    optional: opt(4, boolean),
    path: req(2, string),
    volumeName: req(1, string),
  },
  { mapType: 'atomic' },
);
export interface FileKeySelector extends Infer<typeof FileKeySelector> {}

export const ObjectFieldSelector = struct(
  'io.k8s.api.core.v1.ObjectFieldSelector',
  '',
  {
    apiVersion: opt(1, string, { default: 'v1' }),
    fieldPath: req(2, string),
  },
  { mapType: 'atomic' },
);
export interface ObjectFieldSelector extends Infer<typeof ObjectFieldSelector> {}

export const ResourceFieldSelector = struct(
  'io.k8s.api.core.v1.ResourceFieldSelector',
  '',
  {
    containerName: opt(1, string),
    divisor: opt(3, quantity, { default: '0' }),
    resource: req(2, string),
  },
  { mapType: 'atomic' },
);
export interface ResourceFieldSelector extends Infer<typeof ResourceFieldSelector> {}

export const KeyToPath = struct('io.k8s.api.core.v1.KeyToPath', '', {
  key: req(1, string),
  mode: opt(3, int32),
  path: req(2, string),
});
export interface KeyToPath extends Infer<typeof KeyToPath> {}
