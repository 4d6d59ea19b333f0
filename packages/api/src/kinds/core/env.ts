import { boolean, type Infer, opt, req, string, struct } from '../../schema.ts';
import {
  ConfigMapKeySelector,
  FileKeySelector,
  ObjectFieldSelector,
  ResourceFieldSelector,
  SecretKeySelector,
} from './keySelectors.ts';

export const EnvVarSource = struct('io.k8s.api.core.v1.EnvVarSource', "Where a variable's value comes from.", {
  configMapKeyRef: opt(3, ConfigMapKeySelector, 'A key of a ConfigMap.'),
  fieldRef: opt(1, ObjectFieldSelector, 'A field of the pod.'),
  fileKeyRef: opt(5, FileKeySelector, 'A variable of an env file in a volume.'),
  resourceFieldRef: opt(2, ResourceFieldSelector, 'A request or limit of the container.'),
  secretKeyRef: opt(4, SecretKeySelector, 'A key of a Secret.'),
});
export interface EnvVarSource extends Infer<typeof EnvVarSource> {}

export const EnvVar = struct('io.k8s.api.core.v1.EnvVar', 'One environment variable.', {
  name: req(1, string, 'Name of the variable.'),
  value: opt(2, string, 'Its value; $(NAME) is replaced by earlier variables.'),
  valueFrom: opt(3, EnvVarSource, 'Where to take the value from, instead of value.'),
});
export interface EnvVar extends Infer<typeof EnvVar> {}

export const ConfigMapEnvSource = struct(
  'io.k8s.api.core.v1.ConfigMapEnvSource',
  'A ConfigMap whose keys become variables.',
  {
    name: opt([1, 1], string, 'Name of the ConfigMap.'),
    optional: opt(2, boolean, { pointer: true, doc: 'Whether it may be missing.' }),
  },
);
export interface ConfigMapEnvSource extends Infer<typeof ConfigMapEnvSource> {}

export const SecretEnvSource = struct('io.k8s.api.core.v1.SecretEnvSource', 'A Secret whose keys become variables.', {
  name: opt([1, 1], string, 'Name of the Secret.'),
  optional: opt(2, boolean, { pointer: true, doc: 'Whether it may be missing.' }),
});
export interface SecretEnvSource extends Infer<typeof SecretEnvSource> {}

export const EnvFromSource = struct(
  'io.k8s.api.core.v1.EnvFromSource',
  'Makes a variable of every key of a ConfigMap or Secret.',
  {
    configMapRef: opt(2, ConfigMapEnvSource, 'The ConfigMap to take.'),
    prefix: opt(1, string, 'Put before every key.'),
    secretRef: opt(3, SecretEnvSource, 'The Secret to take.'),
  },
);
export interface EnvFromSource extends Infer<typeof EnvFromSource> {}
