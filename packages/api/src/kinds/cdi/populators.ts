/** The objects that a claim's `dataSourceRef` names to have the importer fill it. Made by the system. */
import { defineKind } from '../../kind.ts';
import { objectFields } from '../../meta.ts';
import { boolean, type Infer, list, string, struct } from '../../schema.ts';
import { TypedLocalObjectReference } from '../core/references.ts';
import { optional, required } from '../customResource.ts';
import {
  DataVolumeBlankImage,
  DataVolumeCheckpoint,
  DataVolumeSourceGCS,
  DataVolumeSourceHTTP,
  DataVolumeSourceImageIO,
  DataVolumeSourceRegistry,
  DataVolumeSourceS3,
  DataVolumeSourceVDDK,
} from './dataVolumeSource.ts';

const contentType = optional(string, 'What the data is: kubevirt for a disk, or archive.');
const preallocation = optional(boolean, 'Whether all space is allocated at once.');

export const ImportSourceType = struct(
  'io.kubevirt.cdi.v1beta1.ImportSourceType',
  'Source of the data. Set exactly one field.',
  {
    blank: optional(DataVolumeBlankImage, 'Create an empty disk.'),
    gcs: optional(DataVolumeSourceGCS, 'Import an image from Google Cloud Storage.'),
    http: optional(DataVolumeSourceHTTP, 'Import an image from an HTTP or HTTPS server.'),
    imageio: optional(DataVolumeSourceImageIO, "Import a disk from oVirt's imageio service."),
    registry: optional(DataVolumeSourceRegistry, 'Import a disk from a container image.'),
    s3: optional(DataVolumeSourceS3, 'Import an image from S3 or a compatible store.'),
    vddk: optional(DataVolumeSourceVDDK, 'Import a disk from VMware vSphere with VDDK.'),
  },
);
export interface ImportSourceType extends Infer<typeof ImportSourceType> {}

export const VolumeImportSourceSpec = struct(
  'io.kubevirt.cdi.v1beta1.VolumeImportSourceSpec',
  'What to import, and how to store it.',
  {
    checkpoints: optional(list(DataVolumeCheckpoint), 'Stages of a multi-stage import, in order.'),
    contentType,
    finalCheckpoint: optional(boolean, 'Whether the last checkpoint is the last step.'),
    preallocation,
    source: optional(ImportSourceType, 'Source of the data to import.'),
    targetClaim: optional(string, 'Name of the claim to fill.'),
  },
);
export interface VolumeImportSourceSpec extends Infer<typeof VolumeImportSourceSpec> {}

export const VolumeUploadSourceSpec = struct(
  'io.kubevirt.cdi.v1beta1.VolumeUploadSourceSpec',
  'How to store the uploaded data.',
  {
    contentType,
    preallocation,
  },
);
export interface VolumeUploadSourceSpec extends Infer<typeof VolumeUploadSourceSpec> {}

export const VolumeCloneSourceSpec = struct(
  'io.kubevirt.cdi.v1beta1.VolumeCloneSourceSpec',
  'What to clone into a claim.',
  {
    preallocation,
    priorityClassName: optional(string, 'Priority class of the pods that do the work.'),
    source: required(
      TypedLocalObjectReference,
      'The PersistentVolumeClaim or VolumeSnapshot to clone, in the same namespace.',
    ),
  },
);
export interface VolumeCloneSourceSpec extends Infer<typeof VolumeCloneSourceSpec> {}

export const PopulatorStatus = struct(
  'io.kubevirt.cdi.v1beta1.PopulatorStatus',
  'Always empty. The claim reports the progress.',
  {},
);
export interface PopulatorStatus extends Infer<typeof PopulatorStatus> {}

const status = optional(PopulatorStatus, 'Always empty. The claim reports the progress.');

export const VolumeImportSourceSchema = struct(
  'io.kubevirt.cdi.v1beta1.VolumeImportSource',
  'An image that a PersistentVolumeClaim imports through its dataSourceRef.',
  { ...objectFields, spec: required(VolumeImportSourceSpec, 'What to import, and how to store it.'), status },
);
export interface VolumeImportSource extends Infer<typeof VolumeImportSourceSchema> {}

export const VolumeUploadSourceSchema = struct(
  'io.kubevirt.cdi.v1beta1.VolumeUploadSource',
  'An upload that a PersistentVolumeClaim waits for through its dataSourceRef.',
  { ...objectFields, spec: required(VolumeUploadSourceSpec, 'How to store the uploaded data.'), status },
);
export interface VolumeUploadSource extends Infer<typeof VolumeUploadSourceSchema> {}

export const VolumeCloneSourceSchema = struct(
  'io.kubevirt.cdi.v1beta1.VolumeCloneSource',
  'A claim or VolumeSnapshot that a PersistentVolumeClaim clones through its dataSourceRef.',
  { ...objectFields, spec: required(VolumeCloneSourceSpec, 'What to clone into the claim.') },
);
export interface VolumeCloneSource extends Infer<typeof VolumeCloneSourceSchema> {}

const common = { group: 'cdi.kubevirt.io', version: 'v1beta1', namespaced: true, status: false } as const;

export const VolumeImportSource = defineKind<VolumeImportSource>({
  ...common,
  kind: 'VolumeImportSource',
  plural: 'volumeimportsources',
  schema: VolumeImportSourceSchema,
});

export const VolumeUploadSource = defineKind<VolumeUploadSource>({
  ...common,
  kind: 'VolumeUploadSource',
  plural: 'volumeuploadsources',
  schema: VolumeUploadSourceSchema,
});

export const VolumeCloneSource = defineKind<VolumeCloneSource>({
  ...common,
  kind: 'VolumeCloneSource',
  plural: 'volumeclonesources',
  schema: VolumeCloneSourceSchema,
});
