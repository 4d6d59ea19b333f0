import { isConditionTrue } from '../../conditions.ts';
import { defineKind } from '../../kind.ts';
import { objectFields } from '../../meta.ts';
import { type Infer, int64, list, map, oneOf, string, struct } from '../../schema.ts';
import { ageDate } from '../customColumns.ts';
import { int, optional, required, within } from '../customResource.ts';
import { HarvesterCondition } from './harvesterParts.ts';
import { HARVESTER_GROUP } from './names.ts';

export const ImageSecurityParameters = struct(
  'io.harvesterhci.v1beta1.VirtualMachineImageSecurityParameters',
  'How a VirtualMachineImage is encrypted or decrypted.',
  {
    cryptoOperation: required(string, 'Operation to perform: encrypt or decrypt.'),
    sourceImageName: required(string, 'Name of the source VirtualMachineImage.'),
    sourceImageNamespace: required(string, 'Namespace of the source VirtualMachineImage.'),
  },
);
export interface ImageSecurityParameters extends Infer<typeof ImageSecurityParameters> {}

export const VirtualMachineImageSpec = struct(
  'io.harvesterhci.v1beta1.VirtualMachineImageSpec',
  'Source and storage of a VirtualMachineImage.',
  {
    backend: optional(oneOf('backingimage', 'cdi'), {
      default: 'backingimage',
      doc: 'Storage backend of Harvester. Accepted and without effect.',
    }),
    checksum: optional(string, 'SHA-512 of what is downloaded, in hexadecimal digits.'),
    description: optional(string, 'Description of the image for users.'),
    displayName: required(string, 'How users call the image; each name once in a namespace.'),
    pvcName: optional(string, 'Name of the claim to export, for sourceType export-from-volume.'),
    pvcNamespace: optional(string, 'Namespace of the claim to export.'),
    retry: optional(within(0, 10, int), { default: 3, doc: 'Number of times that a failed download is retried.' }),
    securityParameters: optional(ImageSecurityParameters, 'Source image and operation, for sourceType clone.'),
    sourceType: required(
      oneOf('download', 'upload', 'export-from-volume', 'restore', 'clone'),
      'Source of the image: download, upload, export-from-volume, restore or clone.',
    ),
    storageClassParameters: optional(
      map(string),
      "Parameters of Harvester's storage class. Accepted and without effect.",
    ),
    targetStorageClassName: optional(string, 'The class of the claim that the image is kept on; else the default.'),
    url: optional(string, 'URL to download from, for sourceType download.'),
  },
);
export interface VirtualMachineImageSpec extends Infer<typeof VirtualMachineImageSpec> {}

export const VirtualMachineImageStatus = struct(
  'io.harvesterhci.v1beta1.VirtualMachineImageStatus',
  'Progress and properties of a VirtualMachineImage.',
  {
    appliedUrl: optional(string, 'URL of the download that was last started.'),
    conditions: optional(list(HarvesterCondition, 'atomic'), 'Conditions of the image.'),
    failed: optional(int, 'Number of failed attempts to import the image.'),
    lastFailedTime: optional(string, 'Time of the last failed attempt.'),
    progress: optional(int, 'Percent; 100 once the image can be used.'),
    size: optional(int64, 'Size of the image in bytes.'),
    storageClassName: optional(string, 'Name of the StorageClass for claims that are created from the image.'),
    targetStorageClassName: optional(string, 'The class of the claim that the image is kept on.'),
    virtualSize: optional(int64, 'Size in bytes that a claim created from the image needs.'),
  },
);
export interface VirtualMachineImageStatus extends Infer<typeof VirtualMachineImageStatus> {}

export const VirtualMachineImageSchema = struct(
  'io.harvesterhci.v1beta1.VirtualMachineImage',
  'A disk image from which volumes of VMs are created.',
  {
    ...objectFields,
    spec: required(VirtualMachineImageSpec, 'Desired state of the VirtualMachineImage.'),
    status: optional(VirtualMachineImageStatus, 'Observed state of the VirtualMachineImage. The system writes it.'),
  },
);
export interface VirtualMachineImage extends Infer<typeof VirtualMachineImageSchema> {}

const column = (name: string, type: 'string' | 'integer', jsonPath: string, description: string) => ({
  name,
  type,
  jsonPath,
  description,
});

export const VirtualMachineImage = defineKind<VirtualMachineImage>({
  group: HARVESTER_GROUP,
  version: 'v1beta1',
  kind: 'VirtualMachineImage',
  plural: 'virtualmachineimages',
  namespaced: true,
  shortNames: ['vmimage', 'vmimages'],
  schema: VirtualMachineImageSchema,
  columns: [
    column('Backend', 'string', '.spec.backend', 'Storage backend of the image.'),
    column('Display-Name', 'string', '.spec.displayName', 'Name that users see.'),
    column('Progress', 'integer', '.status.progress', 'Progress of the import in percent.'),
    column('Size', 'integer', '.status.size', 'Bytes that it takes.'),
    column('VirtualSize', 'integer', '.status.virtualSize', 'Bytes that a claim made from it needs.'),
    ageDate,
  ],
});

/** Whether claims can be made from the image. */
export const isImported = (image: VirtualMachineImage): boolean => isConditionTrue(image, 'Imported');
