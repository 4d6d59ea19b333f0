import { defineKind } from '../../kind.ts';
import { objectFields } from '../../meta.ts';
import { type Infer, list, oneOf, string, struct } from '../../schema.ts';
import { atMost, optional, required } from '../customResource.ts';
import { CdiCondition } from './cdiParts.ts';

const accessMode = oneOf('ReadWriteOnce', 'ReadOnlyMany', 'ReadWriteMany', 'ReadWriteOncePod');

export const ClaimPropertySet = struct(
  'io.kubevirt.cdi.v1beta1.ClaimPropertySet',
  'Properties of claims that a storage class can serve.',
  {
    accessModes: required(atMost(4, list(accessMode)), 'How the volume may be mounted.'),
    volumeMode: required(oneOf('Filesystem', 'Block'), 'Filesystem or Block.'),
  },
);
export interface ClaimPropertySet extends Infer<typeof ClaimPropertySet> {}

const profileFields = {
  claimPropertySets: optional(atMost(8, list(ClaimPropertySet)), 'Properties to give claims; the best first.'),
  cloneStrategy: optional(string, 'How claims are copied: copy, snapshot or csi-clone.'),
  dataImportCronSourceFormat: optional(string, 'What imports are kept as: pvc or snapshot.'),
  snapshotClass: optional(string, 'VolumeSnapshotClass to copy with.'),
} as const;

export const StorageProfileSpec = struct(
  'io.kubevirt.cdi.v1beta1.StorageProfileSpec',
  'What claims of a storage class are given, where it is not what we know of the driver.',
  profileFields,
);
export interface StorageProfileSpec extends Infer<typeof StorageProfileSpec> {}

export const StorageProfileStatus = struct(
  'io.kubevirt.cdi.v1beta1.StorageProfileStatus',
  'What claims of a storage class are given.',
  {
    ...profileFields,
    conditions: optional(
      list(CdiCondition),
      'Observations about the profile; Recognized says whether we know the driver.',
    ),
    provisioner: optional(string, 'The driver.'),
    storageClass: optional(string, 'The storage class.'),
  },
);
export interface StorageProfileStatus extends Infer<typeof StorageProfileStatus> {}

export const StorageProfileSchema = struct(
  'io.kubevirt.cdi.v1beta1.StorageProfile',
  'How the claims of a storage class are best made. Named after the class.',
  {
    ...objectFields,
    spec: required(StorageProfileSpec, 'What is wanted.'),
    status: optional(StorageProfileStatus, 'What was last observed. Written by the system.'),
  },
);
export interface StorageProfile extends Infer<typeof StorageProfileSchema> {}

export const StorageProfile = defineKind<StorageProfile>({
  group: 'cdi.kubevirt.io',
  version: 'v1beta1',
  kind: 'StorageProfile',
  plural: 'storageprofiles',
  namespaced: false,
  schema: StorageProfileSchema,
});
