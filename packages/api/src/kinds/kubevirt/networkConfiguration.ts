import { boolean, type Infer, map, string, struct } from '../../schema.ts';
import { optional } from '../customResource.ts';
import { ResourceRequirementsWithoutClaims } from './memory.ts';

export const InterfaceBindingMigration = struct(
  'io.kubevirt.v1.InterfaceBindingMigration',
  'How a network binding plugin behaves during live migration.',
  {
    method: optional(string, 'Method of the migration. link-refresh makes the guest request its address again.'),
  },
);
export interface InterfaceBindingMigration extends Infer<typeof InterfaceBindingMigration> {}

export const InterfaceBindingPlugin = struct(
  'io.kubevirt.v1.InterfaceBindingPlugin',
  'A plugin that connects interfaces to networks.',
  {
    computeResourceOverhead: optional(
      ResourceRequirementsWithoutClaims,
      'Resources that the plugin needs for each virtual machine.',
    ),
    domainAttachmentType: optional(string, 'How the guest is attached: tap or managedTap.'),
    downwardAPI: optional(string, 'Information about the device that the sidecar gets: device-info.'),
    migration: optional(InterfaceBindingMigration, 'How the plugin behaves during live migration.'),
    networkAttachmentDefinition: optional(
      string,
      "NetworkAttachmentDefinition of the plugin's CNI, as namespace/name or name.",
    ),
    sidecarImage: optional(string, 'Image of the sidecar that changes the domain.'),
  },
);
export interface InterfaceBindingPlugin extends Infer<typeof InterfaceBindingPlugin> {}

export const NetworkConfiguration = struct(
  'io.kubevirt.v1.NetworkConfiguration',
  'Cluster-wide network settings for virtual machines.',
  {
    binding: optional(map(InterfaceBindingPlugin), 'Network binding plugins by name.'),
    defaultNetworkInterface: optional(string, 'Binding of VMs without interfaces: bridge or masquerade.'),
    permitBridgeInterfaceOnPodNetwork: optional(
      boolean,
      'Whether bridge is allowed on the pod network. Defaults to true.',
    ),
    permitSlirpInterface: optional(boolean, 'No longer supported and ignored.'),
  },
);
export interface NetworkConfiguration extends Infer<typeof NetworkConfiguration> {}
