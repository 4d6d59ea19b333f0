import { defineKind } from '../../kind.ts';
import { objectFields } from '../../meta.ts';
import { boolean, type Infer, int32, map, opt, req, string, struct, time } from '../../schema.ts';
import { ageColumn } from '../columns.ts';
import { PersistentVolumeSpec } from '../core/persistentVolume.ts';

export const VolumeAttachmentSource = struct('io.k8s.api.storage.v1.VolumeAttachmentSource', '', {
  inlineVolumeSpec: opt(2, PersistentVolumeSpec),
  persistentVolumeName: opt(1, string),
});
export interface VolumeAttachmentSource extends Infer<typeof VolumeAttachmentSource> {}

export const VolumeAttachmentSpec = struct('io.k8s.api.storage.v1.VolumeAttachmentSpec', '', {
  attacher: req(1, string),
  nodeName: req(3, string),
  source: req(2, VolumeAttachmentSource),
});
export interface VolumeAttachmentSpec extends Infer<typeof VolumeAttachmentSpec> {}

export const VolumeError = struct('io.k8s.api.storage.v1.VolumeError', '', {
  errorCode: opt(3, int32),
  message: opt(2, string),
  time: opt(1, time),
});
export interface VolumeError extends Infer<typeof VolumeError> {}

export const VolumeAttachmentStatus = struct('io.k8s.api.storage.v1.VolumeAttachmentStatus', '', {
  attachError: opt(3, VolumeError),
  attached: req(1, boolean),
  attachmentMetadata: opt(2, map(string)),
  detachError: opt(4, VolumeError),
});
export interface VolumeAttachmentStatus extends Infer<typeof VolumeAttachmentStatus> {}

export const VolumeAttachmentSchema = struct('io.k8s.api.storage.v1.VolumeAttachment', '', {
  ...objectFields,
  spec: req(2, VolumeAttachmentSpec),
  status: opt(3, VolumeAttachmentStatus),
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
    { name: 'Attacher', type: 'string', description: 'Who attaches.', value: ({ spec }) => spec.attacher },
    {
      name: 'PV',
      type: 'string',
      description: 'The volume.',
      value: ({ spec }) => spec.source.persistentVolumeName ?? '',
    },
    { name: 'Node', type: 'string', description: 'The node.', value: ({ spec }) => spec.nodeName },
    {
      name: 'Attached',
      type: 'boolean',
      description: 'Whether it is attached.',
      value: ({ status }) => status?.attached ?? false,
    },
    ageColumn,
  ],
});
