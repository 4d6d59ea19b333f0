import { boolean, type Infer, int32, opt, quantity, req, string, struct } from '../../schema.ts';

export const ConfigMapKeySelector = struct(
  'io.k8s.api.core.v1.ConfigMapKeySelector',
  'Selects a key of a ConfigMap.',
  {
    key: req(2, string, 'Key of the ConfigMap.'),
    name: opt([1, 1], string, 'Name of the ConfigMap.'),
    optional: opt(3, boolean, { pointer: true, doc: 'Whether the container starts if the key does not exist.' }),
  },
  { mapType: 'atomic' },
);
export interface ConfigMapKeySelector extends Infer<typeof ConfigMapKeySelector> {}

export const SecretKeySelector = struct(
  'io.k8s.api.core.v1.SecretKeySelector',
  'Selects a key of a Secret.',
  {
    key: req(2, string, 'Key of the Secret.'),
    name: opt([1, 1], string, 'Name of the Secret.'),
    optional: opt(3, boolean, { pointer: true, doc: 'Whether the container starts if the key does not exist.' }),
  },
  { mapType: 'atomic' },
);
export interface SecretKeySelector extends Infer<typeof SecretKeySelector> {}

export const FileKeySelector = struct(
  'io.k8s.api.core.v1.FileKeySelector',
  'Selects a variable of an env file in a volume.',
  {
    key: req(3, string, 'Name of the variable in the file.'),
    optional: opt(4, boolean, { pointer: true, doc: 'Whether the container starts if the variable does not exist.' }),
    path: req(2, string, 'Path of the file in the volume.'),
    volumeName: req(1, string, 'The volume that holds the file.'),
  },
  { mapType: 'atomic' },
);
export interface FileKeySelector extends Infer<typeof FileKeySelector> {}

export const ObjectFieldSelector = struct(
  'io.k8s.api.core.v1.ObjectFieldSelector',
  'Selects a field of the pod.',
  {
    apiVersion: opt(1, string, { default: 'v1', doc: 'Version of the schema that the path speaks of.' }),
    fieldPath: req(2, string, 'Path of the field, such as metadata.name.'),
  },
  { mapType: 'atomic' },
);
export interface ObjectFieldSelector extends Infer<typeof ObjectFieldSelector> {}

export const ResourceFieldSelector = struct(
  'io.k8s.api.core.v1.ResourceFieldSelector',
  'Selects a request or limit of a container.',
  {
    containerName: opt(1, string, 'The container; needed for volumes only.'),
    divisor: opt(3, quantity, { default: '0', doc: 'Unit that the value is given in.' }),
    resource: req(2, string, 'Name of the resource, such as limits.memory.'),
  },
  { mapType: 'atomic' },
);
export interface ResourceFieldSelector extends Infer<typeof ResourceFieldSelector> {}

export const KeyToPath = struct('io.k8s.api.core.v1.KeyToPath', 'Maps a key to a path in the volume.', {
  key: req(1, string, 'Key whose value becomes a file.'),
  mode: opt(3, int32, { pointer: true, doc: 'Permissions of the file, such as 0644.' }),
  path: req(2, string, 'Where the file goes, relative to the volume.'),
});
export interface KeyToPath extends Infer<typeof KeyToPath> {}
