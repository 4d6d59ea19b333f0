import { defineKind } from '../../kind.ts';
import { objectFields } from '../../meta.ts';
import { type Infer, string, struct } from '../../schema.ts';
import { ageDate } from '../customColumns.ts';
import { optional } from '../customResource.ts';

export const NetworkAttachmentDefinitionSpec = struct(
  'io.cncf.cni.k8s.v1.NetworkAttachmentDefinitionSpec',
  'Configuration of a secondary network.',
  {
    config: optional(
      string,
      'CNI configuration as JSON text. Guests can connect to networks of type bridge, macvtap and macvlan.',
    ),
  },
);

export const NetworkAttachmentDefinitionSchema = struct(
  'io.cncf.cni.k8s.v1.NetworkAttachmentDefinition',
  'A secondary network that guests can connect to by its name.',
  { ...objectFields, spec: optional(NetworkAttachmentDefinitionSpec, 'CNI configuration of the network.') },
);
export interface NetworkAttachmentDefinition extends Infer<typeof NetworkAttachmentDefinitionSchema> {}

/** As the Network Plumbing Working Group's standard has it. */
export const NetworkAttachmentDefinition = defineKind<NetworkAttachmentDefinition>({
  group: 'k8s.cni.cncf.io',
  version: 'v1',
  kind: 'NetworkAttachmentDefinition',
  plural: 'network-attachment-definitions',
  namespaced: true,
  shortNames: ['net-attach-def'],
  schema: NetworkAttachmentDefinitionSchema,
  status: false,
  columns: [ageDate],
});
