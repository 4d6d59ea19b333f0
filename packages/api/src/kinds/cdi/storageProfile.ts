import { defineKind } from '../../kind.ts';
import { objectFields } from '../../meta.ts';
import { type Infer, list, oneOf, string, struct } from '../../schema.ts';
import { atMost, optional, required } from '../customResource.ts';
import { CdiCondition } from './cdiParts.ts';

const accessMode = oneOf('ReadWriteOnce', 'ReadOnlyMany', 'ReadWriteMany', 'ReadWriteOncePod');

export const ClaimPropertySet = struct(
  'io.kubevirt.cdi.v1beta1.ClaimPropertySet',
  'A combination of access modes and volume mode that the storage class supports.',
  {
    accessModes: required(atMost(4, list(accessMode)), 'Access modes that claims of the class may use.'),
    volumeMode: required(
      oneOf('Filesystem', 'Block'),
      'Volume mode that the access modes apply to: Filesystem or Block.',
    ),
  },
);
export interface ClaimPropertySet extends Infer<typeof ClaimPropertySet> {}

const profileFields = {
  claimPropertySets: optional(atMost(8, list(ClaimPropertySet)), 'Properties to give claims; the best first.'),
  cloneStrategy: optional(string, 'How claims are copied: copy, snapshot or csi-clone.'),
  dataImportCronSourceFormat: optional(string, 'How imports are stored: pvc or snapshot.'),
  snapshotClass: optional(string, 'Name of the VolumeSnapshotClass used for cloning.'),
} as const;

export const StorageProfileSpec = struct(
  'io.kubevirt.cdi.v1beta1.StorageProfileSpec',
  'Overrides for what CDI detects about a storage class.',
  profileFields,
);
export interface StorageProfileSpec extends Infer<typeof StorageProfileSpec> {}

export const StorageProfileStatus = struct(
  'io.kubevirt.cdi.v1beta1.StorageProfileStatus',
  'Properties of a storage class that are in effect.',
  {
    ...profileFields,
    conditions: optional(
      list(CdiCondition),
      'Conditions of the profile. Recognized tells whether CDI knows the provisioner.',
    ),
    provisioner: optional(string, "Name of the storage class's provisioner."),
    storageClass: optional(string, 'Name of the storage class.'),
  },
);
export interface StorageProfileStatus extends Infer<typeof StorageProfileStatus> {}

export const StorageProfileSchema = struct(
  'io.kubevirt.cdi.v1beta1.StorageProfile',
  'Properties of a storage class that DataVolumes use as defaults. It has the name of the class.',
  {
    ...objectFields,
    spec: required(StorageProfileSpec, 'Overrides for what CDI detects about the storage class.'),
    status: optional(StorageProfileStatus, 'Observed state of the StorageProfile. The system writes it.'),
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
