import { defineKind } from '../../kind.ts';
import { objectFields } from '../../meta.ts';
import { boolean, type Infer, int32, map, opt, req, string, struct, time } from '../../schema.ts';
import { ageColumn } from '../columns.ts';
import { PersistentVolumeSpec } from '../core/persistentVolume.ts';

export const VolumeAttachmentSource = struct(
  'io.k8s.api.storage.v1.VolumeAttachmentSource',
  'A volume to attach; one of the two is set.',
  {
    inlineVolumeSpec: opt(2, PersistentVolumeSpec, 'The volume itself.'),
    persistentVolumeName: opt(1, string, { pointer: true, doc: 'Name of a persistent volume.' }),
  },
);
export interface VolumeAttachmentSource extends Infer<typeof VolumeAttachmentSource> {}

export const VolumeAttachmentSpec = struct(
  'io.k8s.api.storage.v1.VolumeAttachmentSpec',
  'Which volume, to which node, by whom.',
  {
    attacher: req(1, string, 'The driver.'),
    nodeName: req(3, string, 'The node.'),
    source: req(2, VolumeAttachmentSource, 'The volume.'),
  },
);
export interface VolumeAttachmentSpec extends Infer<typeof VolumeAttachmentSpec> {}

export const VolumeError = struct('io.k8s.api.storage.v1.VolumeError', 'What went wrong.', {
  errorCode: opt(3, int32, { pointer: true, doc: 'Code of the gRPC error.' }),
  message: opt(2, string, 'Details, for people.'),
  time: opt(1, time, 'When.'),
});
export interface VolumeError extends Infer<typeof VolumeError> {}

export const VolumeAttachmentStatus = struct(
  'io.k8s.api.storage.v1.VolumeAttachmentStatus',
  'Whether the volume is attached.',
  {
    attachError: opt(3, VolumeError, 'What went wrong in attaching.'),
    attached: req(1, boolean, 'Whether it is attached.'),
    attachmentMetadata: opt(2, map(string), 'What the node needs to know.'),
    detachError: opt(4, VolumeError, 'What went wrong in detaching.'),
  },
);
export interface VolumeAttachmentStatus extends Infer<typeof VolumeAttachmentStatus> {}

export const VolumeAttachmentSchema = struct(
  'io.k8s.api.storage.v1.VolumeAttachment',
  'Asks for a volume to be attached to a node.',
  {
    ...objectFields,
    spec: req(2, VolumeAttachmentSpec, 'Desired state of the VolumeAttachment.'),
    status: opt(3, VolumeAttachmentStatus, 'Observed state of the VolumeAttachment. The system writes it.'),
  },
);
export interface VolumeAttachment extends Infer<typeof VolumeAttachmentSchema> {}

export const VolumeAttachment = defineKind<VolumeAttachment>({
  group: 'storage.k8s.io',
  version: 'v1',
  kind: 'VolumeAttachment',
  plural: 'volumeattachments',
  namespaced: false,
  schema: VolumeAttachmentSchema,
  generation: false,
  columns: [
    { name: 'Attacher', type: 'string', description: 'Who attaches.', value: ({ spec }) => spec?.attacher },
    {
      name: 'PV',
      type: 'string',
      description: 'The volume.',
      value: ({ spec }) => spec?.source?.persistentVolumeName ?? '',
    },
    { name: 'Node', type: 'string', description: 'The node.', value: ({ spec }) => spec?.nodeName },
    {
      name: 'Attached',
      type: 'boolean',
      description: 'Whether it is attached.',
      value: ({ status }) => status?.attached ?? false,
    },
    ageColumn,
  ],
});
