import { defineKind } from '../../kind.ts';
import { ObjectMeta, objectFields } from '../../meta.ts';
import { type Infer, list, map, opt, quantity, req, string, struct, time } from '../../schema.ts';
import { ageColumn } from '../columns.ts';
import { LabelSelector } from '../meta/selectors.ts';
import { TypedLocalObjectReference, TypedObjectReference } from './references.ts';
import { VolumeResourceRequirements } from './resources.ts';
import { accessModes, deletionOr, storageClassOf } from './storageColumns.ts';

export const PersistentVolumeClaimSpec = struct(
  'io.k8s.api.core.v1.PersistentVolumeClaimSpec',
  'Storage that a claim requests.',
  {
    accessModes: opt(
      1,
      list(string, 'atomic'),
      'Ways to mount the volume: ReadWriteOnce, ReadOnlyMany, ReadWriteMany or ReadWriteOncePod.',
    ),
    dataSource: opt(7, TypedLocalObjectReference, 'Initial contents of the volume: a snapshot or another claim.'),
    dataSourceRef: opt(8, TypedObjectReference, 'The same for objects of any kind.'),
    resources: opt(2, VolumeResourceRequirements, {
      default: {},
      doc: 'Amount of storage to request, under requests.storage.',
    }),
    selector: opt(4, LabelSelector, 'Volumes to choose from, by label.'),
    storageClassName: opt(5, string, {
      pointer: true,
      doc: 'Name of the StorageClass. If missing, the default class is used; an empty name means no class.',
    }),
    volumeAttributesClassName: opt(9, string, { pointer: true, doc: 'Class of attributes to give the volume.' }),
    volumeMode: opt(6, string, {
      default: 'Filesystem',
      pointer: true,
      doc: 'How the volume is used: Filesystem or Block. Defaults to Filesystem.',
    }),
    volumeName: opt(3, string, 'The volume that is bound to the claim.'),
  },
);
export interface PersistentVolumeClaimSpec extends Infer<typeof PersistentVolumeClaimSpec> {}

export const PersistentVolumeClaimCondition = struct(
  'io.k8s.api.core.v1.PersistentVolumeClaimCondition',
  'A condition of a claim, such as Resizing.',
  {
    lastProbeTime: opt(3, time, 'When the condition was last checked.'),
    lastTransitionTime: opt(4, time, 'When the status of the condition last changed.'),
    message: opt(6, string, 'Human-readable details about the last transition.'),
    reason: opt(5, string, 'Reason for the last transition as one CamelCase word.'),
    status: req(2, string, 'Whether the condition holds: True, False or Unknown.'),
    type: req(1, string, 'Name of the condition, such as Ready.'),
  },
);
export interface PersistentVolumeClaimCondition extends Infer<typeof PersistentVolumeClaimCondition> {}

export const ModifyVolumeStatus = struct(
  'io.k8s.api.core.v1.ModifyVolumeStatus',
  "Progress of a change of the volume's attributes.",
  {
    status: req(2, string, 'State of the change: Pending, InProgress or Infeasible.'),
    targetVolumeAttributesClassName: opt(1, string, 'Name of the VolumeAttributesClass that the volume changes to.'),
  },
);
export interface ModifyVolumeStatus extends Infer<typeof ModifyVolumeStatus> {}

export const PersistentVolumeClaimStatus = struct(
  'io.k8s.api.core.v1.PersistentVolumeClaimStatus',
  'Observed state of a PersistentVolumeClaim.',
  {
    accessModes: opt(2, list(string, 'atomic'), 'How the bound volume may be mounted.'),
    allocatedResourceStatuses: opt(7, map(string, 'granular'), 'State of a resize, by resource.'),
    allocatedResources: opt(5, map(quantity), 'Amounts that a resize has reserved.'),
    capacity: opt(3, map(quantity), 'Actual capacity of the bound volume.'),
    conditions: opt(4, list(PersistentVolumeClaimCondition, ['type']), {
      patch: 'merge',
      key: 'type',
      doc: 'Conditions of the claim, such as Resizing.',
    }),
    currentVolumeAttributesClassName: opt(8, string, {
      pointer: true,
      doc: 'Name of the VolumeAttributesClass that the volume has now.',
    }),
    modifyVolumeStatus: opt(9, ModifyVolumeStatus, 'State of a change of volume attributes.'),
    phase: opt(1, string, 'State of the claim: Pending, Bound or Lost.'),
  },
);
export interface PersistentVolumeClaimStatus extends Infer<typeof PersistentVolumeClaimStatus> {}

export const PersistentVolumeClaimSchema = struct(
  'io.k8s.api.core.v1.PersistentVolumeClaim',
  'Requests storage. It is bound to a PersistentVolume that satisfies it.',
  {
    ...objectFields,
    spec: opt(2, PersistentVolumeClaimSpec, 'Desired state of the PersistentVolumeClaim.'),
    status: opt(3, PersistentVolumeClaimStatus, 'Observed state of the PersistentVolumeClaim. The system writes it.'),
  },
);
export interface PersistentVolumeClaim extends Infer<typeof PersistentVolumeClaimSchema> {}

export const PersistentVolumeClaimTemplate = struct(
  'io.k8s.api.core.v1.PersistentVolumeClaimTemplate',
  'Template of a claim that is created with a pod.',
  {
    metadata: opt(1, ObjectMeta, 'Labels and annotations for the claim.'),
    spec: req(2, PersistentVolumeClaimSpec, 'What kind of storage is wanted.'),
  },
);
export interface PersistentVolumeClaimTemplate extends Infer<typeof PersistentVolumeClaimTemplate> {}

export const PersistentVolumeClaim = defineKind<PersistentVolumeClaim>({
  group: '',
  version: 'v1',
  kind: 'PersistentVolumeClaim',
  plural: 'persistentvolumeclaims',
  namespaced: true,
  shortNames: ['pvc'],
  schema: PersistentVolumeClaimSchema,
  generation: false,
  columns: [
    {
      name: 'Status',
      type: 'string',
      description: 'Whether the claim has a volume.',
      value: (claim) => deletionOr(claim, claim.status?.phase),
    },
    {
      name: 'Volume',
      type: 'string',
      description: 'The volume that the claim is bound to.',
      value: (claim) => claim.spec?.volumeName ?? '',
    },
    {
      name: 'Capacity',
      type: 'string',
      description: 'Size of the bound volume.',
      value: (claim) => (claim.spec?.volumeName ? claim.status?.capacity?.storage : undefined) ?? '',
    },
    {
      name: 'Access Modes',
      type: 'string',
      description: 'How the bound volume may be mounted.',
      value: (claim) => (claim.spec?.volumeName ? accessModes(claim.status?.accessModes) : ''),
    },
    {
      name: 'StorageClass',
      type: 'string',
      description: 'The class of storage that the claim asks for.',
      value: (claim) => storageClassOf(claim),
    },
    {
      name: 'VolumeAttributesClass',
      type: 'string',
      description: 'The volume attributes class that the claim asks for.',
      value: (claim) => claim.spec?.volumeAttributesClassName ?? '<unset>',
    },
    ageColumn,
    {
      name: 'VolumeMode',
      type: 'string',
      priority: 1,
      description: 'How the volume is used: Filesystem or Block.',
      value: (claim) => claim.spec?.volumeMode ?? '<unset>',
    },
  ],
  applyDefaults: (claim) => {
    claim.status = { ...claim.status, phase: claim.status?.phase ?? 'Pending' };
  },
});
