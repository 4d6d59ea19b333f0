import { defineKind } from '../../kind.ts';
import { objectFields } from '../../meta.ts';
import { boolean, type Infer, int32, map, opt, req, string, struct, time } from '../../schema.ts';
import { ageColumn } from '../columns.ts';
import { PersistentVolumeSpec } from '../core/persistentVolume.ts';

export const VolumeAttachmentSource = struct(
  'io.k8s.api.storage.v1.VolumeAttachmentSource',
  'The volume to attach. Set exactly one field.',
  {
    inlineVolumeSpec: opt(2, PersistentVolumeSpec, 'Spec of a volume that is not a PersistentVolume.'),
    persistentVolumeName: opt(1, string, { pointer: true, doc: 'Name of a persistent volume.' }),
  },
);
export interface VolumeAttachmentSource extends Infer<typeof VolumeAttachmentSource> {}

export const VolumeAttachmentSpec = struct(
  'io.k8s.api.storage.v1.VolumeAttachmentSpec',
  'Volume, node and driver of an attachment.',
  {
    attacher: req(1, string, 'Name of the driver that attaches the volume.'),
    nodeName: req(3, string, 'Name of the node.'),
    source: req(2, VolumeAttachmentSource, 'The volume to attach.'),
  },
);
export interface VolumeAttachmentSpec extends Infer<typeof VolumeAttachmentSpec> {}

export const VolumeError = struct('io.k8s.api.storage.v1.VolumeError', 'An error of the driver.', {
  errorCode: opt(3, int32, { pointer: true, doc: 'Code of the gRPC error.' }),
  message: opt(2, string, 'Human-readable description of the error.'),
  time: opt(1, time, 'Time at which the error occurred.'),
});
export interface VolumeError extends Infer<typeof VolumeError> {}

export const VolumeAttachmentStatus = struct(
  'io.k8s.api.storage.v1.VolumeAttachmentStatus',
  'Whether the volume is attached.',
  {
    attachError: opt(3, VolumeError, 'Error that occurred while attaching.'),
    attached: req(1, boolean, 'Whether it is attached.'),
    attachmentMetadata: opt(2, map(string), 'What the node needs to know.'),
    detachError: opt(4, VolumeError, 'Error that occurred while detaching.'),
  },
);
export interface VolumeAttachmentStatus extends Infer<typeof VolumeAttachmentStatus> {}

export const VolumeAttachmentSchema = struct('io.k8s.api.storage.v1.VolumeAttachment', 'Attaches a volume to a node.', {
  ...objectFields,
  spec: req(2, VolumeAttachmentSpec, 'Desired state of the VolumeAttachment.'),
  status: opt(3, VolumeAttachmentStatus, 'Observed state of the VolumeAttachment. The system writes it.'),
});
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
    {
      name: 'Attacher',
      type: 'string',
      description: 'Name of the driver that attaches the volume.',
      value: ({ spec }) => spec?.attacher,
    },
    {
      name: 'PV',
      type: 'string',
      description: 'Name of the PersistentVolume.',
      value: ({ spec }) => spec?.source?.persistentVolumeName ?? '',
    },
    { name: 'Node', type: 'string', description: 'Name of the node.', value: ({ spec }) => spec?.nodeName },
    {
      name: 'Attached',
      type: 'boolean',
      description: 'Whether it is attached.',
      value: ({ status }) => status?.attached ?? false,
    },
    ageColumn,
  ],
});
