import { defineKind } from '../../kind.ts';
import { objectFields } from '../../meta.ts';
import { type Infer, string, struct } from '../../schema.ts';
import { ageDate } from '../customColumns.ts';
import { optional } from '../customResource.ts';

export const NetworkAttachmentDefinitionSpec = struct(
  'io.cncf.cni.k8s.v1.NetworkAttachmentDefinitionSpec',
  'A network that machines can be joined to.',
  { config: optional(string, 'A CNI configuration as JSON text; machines are joined to networks of type bridge.') },
);

export const NetworkAttachmentDefinitionSchema = struct(
  'io.cncf.cni.k8s.v1.NetworkAttachmentDefinition',
  'A network beside that of the pods, by the name that machines use for it.',
  { ...objectFields, spec: optional(NetworkAttachmentDefinitionSpec, 'How the network is joined.') },
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
