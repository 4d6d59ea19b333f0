import { boolean, type Infer, list, opt, req, string, struct } from '../../schema.ts';
import { Taint } from './scheduling.ts';

export const ConfigMapNodeConfigSource = struct(
  'io.k8s.api.core.v1.ConfigMapNodeConfigSource',
  "A ConfigMap with a node's configuration. No longer supported and ignored.",
  {
    kubeletConfigKey: req(5, string, 'Key of the ConfigMap that holds the configuration.'),
    name: req(2, string, 'Name of the object.'),
    namespace: req(1, string, 'Namespace of the object.'),
    resourceVersion: opt(4, string, 'Resource version of the ConfigMap.'),
    uid: opt(3, string, 'UID of the ConfigMap.'),
  },
);
export interface ConfigMapNodeConfigSource extends Infer<typeof ConfigMapNodeConfigSource> {}

export const NodeConfigSource = struct(
  'io.k8s.api.core.v1.NodeConfigSource',
  "Source of a node's configuration. No longer supported and ignored.",
  {
    configMap: opt(2, ConfigMapNodeConfigSource, 'ConfigMap that holds the configuration.'),
  },
);
export interface NodeConfigSource extends Infer<typeof NodeConfigSource> {}

export const NodeSpec = struct(
  'io.k8s.api.core.v1.NodeSpec',
  'Settings of a node: its taints, pod networks and whether it takes new pods.',
  {
    configSource: opt(6, NodeConfigSource, 'No longer supported and ignored.'),
    externalID: opt(2, string, 'No longer supported and ignored.'),
    podCIDR: opt(1, string, 'Addresses for pods on the node.'),
    podCIDRs: opt(7, list(string, 'set'), { patch: 'merge', doc: 'The same, one range of each family.' }),
    providerID: opt(3, string, 'ID of the node at the cloud provider.'),
    taints: opt(5, list(Taint, 'atomic'), 'Keep pods away that do not tolerate them.'),
    unschedulable: opt(4, boolean, 'Whether no new pods come to the node.'),
  },
);
export interface NodeSpec extends Infer<typeof NodeSpec> {}
