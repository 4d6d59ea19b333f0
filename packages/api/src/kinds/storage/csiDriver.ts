import { defineKind } from '../../kind.ts';
import { objectFields } from '../../meta.ts';
import { boolean, type Infer, int64, list, opt, req, string, struct } from '../../schema.ts';
import { ageColumn } from '../columns.ts';

export const CSITokenRequest = struct('io.k8s.api.storage.v1.TokenRequest', 'A token that a CSI driver receives.', {
  audience: req(1, string, 'Audience that the token is intended for.'),
  expirationSeconds: opt(2, int64, { pointer: true, doc: 'Lifetime of the token in seconds.' }),
});
export interface CSITokenRequest extends Infer<typeof CSITokenRequest> {}

export const CSIDriverSpec = struct(
  'io.k8s.api.storage.v1.CSIDriverSpec',
  'Requirements and capabilities of a CSI driver.',
  {
    attachRequired: opt(1, boolean, {
      default: true,
      pointer: true,
      doc: 'Whether a volume is attached before it is mounted.',
    }),
    fsGroupPolicy: opt(5, string, {
      default: 'ReadWriteOnceWithFSType',
      pointer: true,
      doc: 'Whether volumes can change their owner: ReadWriteOnceWithFSType, File or None.',
    }),
    nodeAllocatableUpdatePeriodSeconds: opt(9, int64, {
      pointer: true,
      doc: 'Seconds between two updates of the number of volumes that a node can attach.',
    }),
    podInfoOnMount: opt(2, boolean, {
      default: false,
      pointer: true,
      doc: 'Whether the driver gets information about the pod that mounts a volume.',
    }),
    preventPodSchedulingIfMissing: opt(11, boolean, {
      pointer: true,
      doc: 'Whether pods stay away from nodes without the driver.',
    }),
    requiresRepublish: opt(7, boolean, {
      default: false,
      pointer: true,
      doc: 'Whether mounted volumes are published periodically, so that their contents can change.',
    }),
    seLinuxMount: opt(8, boolean, {
      default: false,
      pointer: true,
      doc: 'Whether volumes can be mounted with an SELinux label.',
    }),
    serviceAccountTokenInSecrets: opt(10, boolean, { pointer: true, doc: 'Whether tokens are passed as secrets.' }),
    storageCapacity: opt(4, boolean, {
      default: false,
      pointer: true,
      doc: 'Whether the driver publishes how much room it has.',
    }),
    tokenRequests: opt(6, list(CSITokenRequest, 'atomic'), 'Tokens that the driver gets.'),
    volumeLifecycleModes: opt(3, list(string, 'set'), {
      default: ['Persistent'],
      doc: 'Kinds of volumes that the driver supports: Persistent, Ephemeral or both.',
    }),
  },
);
export interface CSIDriverSpec extends Infer<typeof CSIDriverSpec> {}

export const CSIDriverSchema = struct('io.k8s.api.storage.v1.CSIDriver', 'Describes a CSI driver to the cluster.', {
  ...objectFields,
  spec: req(2, CSIDriverSpec, 'Desired state of the CSIDriver.'),
});
export interface CSIDriver extends Infer<typeof CSIDriverSchema> {}

export const CSIDriver = defineKind<CSIDriver>({
  group: 'storage.k8s.io',
  version: 'v1',
  kind: 'CSIDriver',
  plural: 'csidrivers',
  namespaced: false,
  schema: CSIDriverSchema,
  generation: true,
  columns: [
    {
      name: 'AttachRequired',
      type: 'boolean',
      description: 'Whether a volume is attached before it is mounted.',
      value: ({ spec }) => spec?.attachRequired ?? true,
    },
    {
      name: 'PodInfoOnMount',
      type: 'boolean',
      description: 'Whether the driver gets information about the pod that mounts a volume.',
      value: ({ spec }) => spec?.podInfoOnMount ?? false,
    },
    {
      name: 'StorageCapacity',
      type: 'boolean',
      description: 'Whether the driver publishes how much room it has.',
      value: ({ spec }) => spec?.storageCapacity ?? false,
    },
    {
      name: 'TokenRequests',
      type: 'string',
      description: 'Audiences of the tokens that the driver gets.',
      value: ({ spec }) => spec?.tokenRequests?.map(({ audience }) => audience).join(',') || '<unset>',
    },
    {
      name: 'RequiresRepublish',
      type: 'boolean',
      description: 'Whether mounted volumes are published periodically, so that their contents can change.',
      value: ({ spec }) => spec?.requiresRepublish ?? false,
    },
    {
      name: 'Modes',
      type: 'string',
      description: 'Kinds of volume that the driver serves.',
      value: ({ spec }) => spec?.volumeLifecycleModes?.join(',') || '<none>',
    },
    ageColumn,
  ],
});
