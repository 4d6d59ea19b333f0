import { boolean, type Infer, opt, req, string, struct } from '../../schema.ts';
import {
  ConfigMapKeySelector,
  FileKeySelector,
  ObjectFieldSelector,
  ResourceFieldSelector,
  SecretKeySelector,
} from './keySelectors.ts';

export const EnvVarSource = struct(
  'io.k8s.api.core.v1.EnvVarSource',
  "Source of an environment variable's value. Set exactly one field.",
  {
    configMapKeyRef: opt(3, ConfigMapKeySelector, 'Key of a ConfigMap in the same namespace.'),
    fieldRef: opt(1, ObjectFieldSelector, 'Field of the pod that the value is read from, such as metadata.name.'),
    fileKeyRef: opt(5, FileKeySelector, 'A variable of an env file in a volume.'),
    resourceFieldRef: opt(2, ResourceFieldSelector, 'A request or limit of the container.'),
    secretKeyRef: opt(4, SecretKeySelector, 'Key of a Secret in the same namespace.'),
  },
);
export interface EnvVarSource extends Infer<typeof EnvVarSource> {}

export const EnvVar = struct('io.k8s.api.core.v1.EnvVar', 'An environment variable.', {
  name: req(1, string, 'Name of the variable.'),
  value: opt(2, string, 'Its value; $(NAME) is replaced by earlier variables.'),
  valueFrom: opt(3, EnvVarSource, 'Where to take the value from, instead of value.'),
});
export interface EnvVar extends Infer<typeof EnvVar> {}

export const ConfigMapEnvSource = struct(
  'io.k8s.api.core.v1.ConfigMapEnvSource',
  'A ConfigMap whose keys become environment variables.',
  {
    name: opt([1, 1], string, 'Name of the ConfigMap.'),
    optional: opt(2, boolean, { pointer: true, doc: 'Whether the container starts if the ConfigMap does not exist.' }),
  },
);
export interface ConfigMapEnvSource extends Infer<typeof ConfigMapEnvSource> {}

export const SecretEnvSource = struct(
  'io.k8s.api.core.v1.SecretEnvSource',
  'A Secret whose keys become environment variables.',
  {
    name: opt([1, 1], string, 'Name of the Secret.'),
    optional: opt(2, boolean, { pointer: true, doc: 'Whether the container starts if the Secret does not exist.' }),
  },
);
export interface SecretEnvSource extends Infer<typeof SecretEnvSource> {}

export const EnvFromSource = struct(
  'io.k8s.api.core.v1.EnvFromSource',
  'Turns all keys of a ConfigMap or Secret into environment variables.',
  {
    configMapRef: opt(2, ConfigMapEnvSource, 'ConfigMap whose keys become variables.'),
    prefix: opt(1, string, 'Text to put before each key.'),
    secretRef: opt(3, SecretEnvSource, 'Secret whose keys become variables.'),
  },
);
export interface EnvFromSource extends Infer<typeof EnvFromSource> {}
