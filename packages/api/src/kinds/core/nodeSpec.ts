import { boolean, type Infer, list, opt, req, string, struct } from '../../schema.ts';
import { Taint } from './scheduling.ts';

export const ConfigMapNodeConfigSource = struct('io.k8s.api.core.v1.ConfigMapNodeConfigSource', '', {
  kubeletConfigKey: req(5, string),
  name: req(2, string),
  namespace: req(1, string),
  resourceVersion: opt(4, string),
  uid: opt(3, string),
});
export interface ConfigMapNodeConfigSource extends Infer<typeof ConfigMapNodeConfigSource> {}

export const NodeConfigSource = struct('io.k8s.api.core.v1.NodeConfigSource', '', {
  configMap: opt(2, ConfigMapNodeConfigSource),
});
export interface NodeConfigSource extends Infer<typeof NodeConfigSource> {}

export const NodeSpec = struct('io.k8s.api.core.v1.NodeSpec', '', {
  configSource: opt(6, NodeConfigSource),
  externalID: opt(2, string),
  podCIDR: opt(1, string),
  podCIDRs: opt(7, list(string, 'set'), { patch: 'merge' }),
  providerID: opt(3, string),
  taints: opt(5, list(Taint, 'atomic')),
  unschedulable: opt(4, boolean),
});
export interface NodeSpec extends Infer<typeof NodeSpec> {}
