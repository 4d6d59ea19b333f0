import { boolean, type Infer, opt, req, string, struct } from '../../schema.ts';
import {
  ConfigMapKeySelector,
  FileKeySelector,
  ObjectFieldSelector,
  ResourceFieldSelector,
  SecretKeySelector,
} from './keySelectors.ts';

export const EnvVarSource = struct('io.k8s.api.core.v1.EnvVarSource', '', {
  configMapKeyRef: opt(3, ConfigMapKeySelector),
  fieldRef: opt(1, ObjectFieldSelector),
  fileKeyRef: opt(5, FileKeySelector),
  resourceFieldRef: opt(2, ResourceFieldSelector),
  secretKeyRef: opt(4, SecretKeySelector),
});
export interface EnvVarSource extends Infer<typeof EnvVarSource> {}

export const EnvVar = struct('io.k8s.api.core.v1.EnvVar', '', {
  name: req(1, string),
  value: opt(2, string),
  valueFrom: opt(3, EnvVarSource),
});
export interface EnvVar extends Infer<typeof EnvVar> {}

export const ConfigMapEnvSource = struct('io.k8s.api.core.v1.ConfigMapEnvSource', '', {
  name: opt([1, 1], string),
  optional: opt(2, boolean),
});
export interface ConfigMapEnvSource extends Infer<typeof ConfigMapEnvSource> {}

export const SecretEnvSource = struct('io.k8s.api.core.v1.SecretEnvSource', '', {
  name: opt([1, 1], string),
  optional: opt(2, boolean),
});
export interface SecretEnvSource extends Infer<typeof SecretEnvSource> {}

export const EnvFromSource = struct('io.k8s.api.core.v1.EnvFromSource', '', {
  configMapRef: opt(2, ConfigMapEnvSource),
  prefix: opt(1, string),
  secretRef: opt(3, SecretEnvSource),
});
export interface EnvFromSource extends Infer<typeof EnvFromSource> {}
