import { boolean, type Infer, map, string, struct } from '../../schema.ts';
import { optional } from '../customResource.ts';
import { ResourceRequirementsWithoutClaims } from './memory.ts';

export const InterfaceBindingMigration = struct('io.kubevirt.v1.InterfaceBindingMigration', 'How a plug-in migrates.', {
  method: optional(string, 'link-refresh, to have the guest ask for its address again.'),
});
export interface InterfaceBindingMigration extends Infer<typeof InterfaceBindingMigration> {}

export const InterfaceBindingPlugin = struct(
  'io.kubevirt.v1.InterfaceBindingPlugin',
  'A plug-in that joins guests to networks.',
  {
    computeResourceOverhead: optional(ResourceRequirementsWithoutClaims, 'What it costs a machine.'),
    domainAttachmentType: optional(string, 'How the guest is attached: tap or managedTap.'),
    downwardAPI: optional(string, 'What the sidecar learns of the device: device-info.'),
    migration: optional(InterfaceBindingMigration, 'How it migrates.'),
    networkAttachmentDefinition: optional(string, 'NetworkAttachmentDefinition to run it with.'),
    sidecarImage: optional(string, 'Image of the sidecar that changes the domain.'),
  },
);
export interface InterfaceBindingPlugin extends Infer<typeof InterfaceBindingPlugin> {}

export const NetworkConfiguration = struct(
  'io.kubevirt.v1.NetworkConfiguration',
  'How machines are joined to networks.',
  {
    binding: optional(map(InterfaceBindingPlugin), 'Plug-ins by name.'),
    defaultNetworkInterface: optional(string, 'How a machine without interfaces is joined: bridge or masquerade.'),
    permitBridgeInterfaceOnPodNetwork: optional(
      boolean,
      'Whether a bridge to the pod network is allowed; true when missing.',
    ),
    permitSlirpInterface: optional(boolean, 'No longer used.'),
  },
);
export interface NetworkConfiguration extends Infer<typeof NetworkConfiguration> {}
