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
  'Where data comes from. One of them.',
  {
    blank: optional(DataVolumeBlankImage, 'Nowhere; the disk is blank.'),
    gcs: optional(DataVolumeSourceGCS, 'An image in Google Cloud Storage.'),
    http: optional(DataVolumeSourceHTTP, 'An image on a web server.'),
    imageio: optional(DataVolumeSourceImageIO, 'A disk of oVirt.'),
    registry: optional(DataVolumeSourceRegistry, 'An image in a container registry.'),
    s3: optional(DataVolumeSourceS3, 'An image in S3.'),
    vddk: optional(DataVolumeSourceVDDK, 'A disk of VMware.'),
  },
);
export interface ImportSourceType extends Infer<typeof ImportSourceType> {}

export const VolumeImportSourceSpec = struct('io.kubevirt.cdi.v1beta1.VolumeImportSourceSpec', 'What to import.', {
  checkpoints: optional(list(DataVolumeCheckpoint), 'Steps of an import in several.'),
  contentType,
  finalCheckpoint: optional(boolean, 'Whether the last checkpoint is the last step.'),
  preallocation,
  source: optional(ImportSourceType, 'Where the data comes from.'),
  targetClaim: optional(string, 'The claim to fill.'),
});
export interface VolumeImportSourceSpec extends Infer<typeof VolumeImportSourceSpec> {}

export const VolumeUploadSourceSpec = struct('io.kubevirt.cdi.v1beta1.VolumeUploadSourceSpec', 'What is uploaded.', {
  contentType,
  preallocation,
});
export interface VolumeUploadSourceSpec extends Infer<typeof VolumeUploadSourceSpec> {}

export const VolumeCloneSourceSpec = struct('io.kubevirt.cdi.v1beta1.VolumeCloneSourceSpec', 'What to copy.', {
  preallocation,
  priorityClassName: optional(string, 'Priority class of the pods that do the work.'),
  source: required(TypedLocalObjectReference, 'The claim or VolumeSnapshot.'),
});
export interface VolumeCloneSourceSpec extends Infer<typeof VolumeCloneSourceSpec> {}

export const PopulatorStatus = struct('io.kubevirt.cdi.v1beta1.PopulatorStatus', 'Always empty.', {});
export interface PopulatorStatus extends Infer<typeof PopulatorStatus> {}

const status = optional(PopulatorStatus, 'Always empty.');

export const VolumeImportSourceSchema = struct(
  'io.kubevirt.cdi.v1beta1.VolumeImportSource',
  'An image that claims can be filled with.',
  { ...objectFields, spec: required(VolumeImportSourceSpec, 'What is wanted.'), status },
);
export interface VolumeImportSource extends Infer<typeof VolumeImportSourceSchema> {}

export const VolumeUploadSourceSchema = struct(
  'io.kubevirt.cdi.v1beta1.VolumeUploadSource',
  'An upload that a claim can be filled with.',
  { ...objectFields, spec: required(VolumeUploadSourceSpec, 'What is wanted.'), status },
);
export interface VolumeUploadSource extends Infer<typeof VolumeUploadSourceSchema> {}

export const VolumeCloneSourceSchema = struct(
  'io.kubevirt.cdi.v1beta1.VolumeCloneSource',
  'A claim or VolumeSnapshot that claims can be filled with.',
  { ...objectFields, spec: required(VolumeCloneSourceSpec, 'What is wanted.') },
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
