import { defineKind } from '../../kind.ts';
import { ObjectMeta, objectFields } from '../../meta.ts';
import { type Infer, list, map, opt, quantity, req, string, struct, time } from '../../schema.ts';
import { ageColumn } from '../columns.ts';
import { LabelSelector } from '../meta/selectors.ts';
import { TypedLocalObjectReference, TypedObjectReference } from './references.ts';
import { VolumeResourceRequirements } from './resources.ts';
import { accessModes, deletionOr, storageClassOf } from './storageColumns.ts';

export const PersistentVolumeClaimSpec = struct('io.k8s.api.core.v1.PersistentVolumeClaimSpec', '', {
  accessModes: opt(1, list(string, 'atomic')),
  dataSource: opt(7, TypedLocalObjectReference),
  dataSourceRef: opt(8, TypedObjectReference),
  resources: opt(2, VolumeResourceRequirements, { default: {} }),
  selector: opt(4, LabelSelector),
  storageClassName: opt(5, string),
  volumeAttributesClassName: opt(9, string),
  volumeMode: opt(6, string, { default: 'Filesystem' }),
  volumeName: opt(3, string),
});
export interface PersistentVolumeClaimSpec extends Infer<typeof PersistentVolumeClaimSpec> {}

export const PersistentVolumeClaimCondition = struct('io.k8s.api.core.v1.PersistentVolumeClaimCondition', '', {
  lastProbeTime: opt(3, time),
  lastTransitionTime: opt(4, time),
  message: opt(6, string),
  reason: opt(5, string),
  status: req(2, string),
  type: req(1, string),
});
export interface PersistentVolumeClaimCondition extends Infer<typeof PersistentVolumeClaimCondition> {}

export const ModifyVolumeStatus = struct('io.k8s.api.core.v1.ModifyVolumeStatus', '', {
  status: req(2, string),
  targetVolumeAttributesClassName: opt(1, string),
});
export interface ModifyVolumeStatus extends Infer<typeof ModifyVolumeStatus> {}

export const PersistentVolumeClaimStatus = struct('io.k8s.api.core.v1.PersistentVolumeClaimStatus', '', {
  accessModes: opt(2, list(string, 'atomic')),
  allocatedResourceStatuses: opt(7, map(string, 'granular')),
  allocatedResources: opt(5, map(quantity)),
  capacity: opt(3, map(quantity)),
  conditions: opt(4, list(PersistentVolumeClaimCondition, ['type']), { patch: 'merge', key: 'type' }),
  currentVolumeAttributesClassName: opt(8, string),
  modifyVolumeStatus: opt(9, ModifyVolumeStatus),
  phase: opt(1, string),
});
export interface PersistentVolumeClaimStatus extends Infer<typeof PersistentVolumeClaimStatus> {}

export const PersistentVolumeClaimSchema = struct('io.k8s.api.core.v1.PersistentVolumeClaim', '', {
  ...objectFields,
  spec: opt(2, PersistentVolumeClaimSpec),
  status: opt(3, PersistentVolumeClaimStatus),
});
export interface PersistentVolumeClaim extends Infer<typeof PersistentVolumeClaimSchema> {}

export const PersistentVolumeClaimTemplate = struct('io.k8s.api.core.v1.PersistentVolumeClaimTemplate', '', {
  metadata: opt(1, ObjectMeta),
  spec: req(2, PersistentVolumeClaimSpec),
});
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
      description: 'Filesystem or Block.',
      value: (claim) => claim.spec?.volumeMode ?? '<unset>',
    },
  ],
  applyDefaults: (claim) => {
    claim.status = { ...claim.status, phase: claim.status?.phase ?? 'Pending' };
  },
});
