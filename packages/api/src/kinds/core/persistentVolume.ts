import { defineKind } from '../../kind.ts';
import { objectFields } from '../../meta.ts';
import { type Infer, list, map, opt, quantity, refine, string, struct, time } from '../../schema.ts';
import { ageColumn } from '../columns.ts';
import { VolumeNodeAffinity } from './nodeSelector.ts';
import {
  AzureFilePersistentVolumeSource,
  CephFSPersistentVolumeSource,
  CinderPersistentVolumeSource,
  CSIPersistentVolumeSource,
  FlexPersistentVolumeSource,
  GlusterfsPersistentVolumeSource,
  ISCSIPersistentVolumeSource,
  LocalVolumeSource,
  RBDPersistentVolumeSource,
  ScaleIOPersistentVolumeSource,
  StorageOSPersistentVolumeSource,
} from './persistentVolumeSources.ts';
import { ObjectReference } from './references.ts';
import {
  AWSElasticBlockStoreVolumeSource,
  AzureDiskVolumeSource,
  FCVolumeSource,
  FlockerVolumeSource,
  GCEPersistentDiskVolumeSource,
  HostPathVolumeSource,
  NFSVolumeSource,
  PhotonPersistentDiskVolumeSource,
  PortworxVolumeSource,
  QuobyteVolumeSource,
  VsphereVirtualDiskVolumeSource,
} from './sharedVolumeSources.ts';
import { accessModes, deletionOr, storageClassOf } from './storageColumns.ts';

export const PersistentVolumeSpec = struct('io.k8s.api.core.v1.PersistentVolumeSpec', '', {
  accessModes: opt(3, list(string, 'atomic')),
  awsElasticBlockStore: opt([2, 2], AWSElasticBlockStoreVolumeSource),
  azureDisk: opt([2, 16], AzureDiskVolumeSource),
  azureFile: opt([2, 13], AzureFilePersistentVolumeSource),
  capacity: opt(1, map(quantity)),
  cephfs: opt([2, 9], CephFSPersistentVolumeSource),
  cinder: opt([2, 8], CinderPersistentVolumeSource),
  claimRef: opt(4, refine(ObjectReference, { mapType: 'granular' })),
  csi: opt([2, 22], CSIPersistentVolumeSource),
  fc: opt([2, 10], FCVolumeSource),
  flexVolume: opt([2, 12], FlexPersistentVolumeSource),
  flocker: opt([2, 11], FlockerVolumeSource),
  gcePersistentDisk: opt([2, 1], GCEPersistentDiskVolumeSource),
  glusterfs: opt([2, 4], GlusterfsPersistentVolumeSource),
  hostPath: opt([2, 3], HostPathVolumeSource),
  iscsi: opt([2, 7], ISCSIPersistentVolumeSource),
  local: opt([2, 20], LocalVolumeSource),
  mountOptions: opt(7, list(string, 'atomic')),
  nfs: opt([2, 5], NFSVolumeSource),
  nodeAffinity: opt(9, VolumeNodeAffinity),
  persistentVolumeReclaimPolicy: opt(5, string, { default: 'Retain' }),
  photonPersistentDisk: opt([2, 17], PhotonPersistentDiskVolumeSource),
  portworxVolume: opt([2, 18], PortworxVolumeSource),
  quobyte: opt([2, 15], QuobyteVolumeSource),
  rbd: opt([2, 6], RBDPersistentVolumeSource),
  scaleIO: opt([2, 19], ScaleIOPersistentVolumeSource),
  storageClassName: opt(6, string),
  storageos: opt([2, 21], StorageOSPersistentVolumeSource),
  volumeAttributesClassName: opt(10, string),
  volumeMode: opt(8, string, { default: 'Filesystem' }),
  vsphereVolume: opt([2, 14], VsphereVirtualDiskVolumeSource),
});
export interface PersistentVolumeSpec extends Infer<typeof PersistentVolumeSpec> {}

export const PersistentVolumeStatus = struct('io.k8s.api.core.v1.PersistentVolumeStatus', '', {
  lastPhaseTransitionTime: opt(4, time),
  message: opt(2, string),
  phase: opt(1, string),
  reason: opt(3, string),
});
export interface PersistentVolumeStatus extends Infer<typeof PersistentVolumeStatus> {}

export const PersistentVolumeSchema = struct('io.k8s.api.core.v1.PersistentVolume', '', {
  ...objectFields,
  spec: opt(2, PersistentVolumeSpec),
  status: opt(3, PersistentVolumeStatus),
});
export interface PersistentVolume extends Infer<typeof PersistentVolumeSchema> {}

export const PersistentVolume = defineKind<PersistentVolume>({
  group: '',
  version: 'v1',
  kind: 'PersistentVolume',
  plural: 'persistentvolumes',
  namespaced: false,
  shortNames: ['pv'],
  schema: PersistentVolumeSchema,
  generation: false,
  columns: [
    {
      name: 'Capacity',
      type: 'string',
      description: 'Size of the volume.',
      value: (volume) => volume.spec?.capacity?.storage ?? '0',
    },
    {
      name: 'Access Modes',
      type: 'string',
      description: 'How the volume may be mounted.',
      value: (volume) => accessModes(volume.spec?.accessModes),
    },
    {
      name: 'Reclaim Policy',
      type: 'string',
      description: 'What happens to the volume when its claim goes.',
      value: (volume) => volume.spec?.persistentVolumeReclaimPolicy,
    },
    {
      name: 'Status',
      type: 'string',
      description: 'Whether the volume is free, bound or released.',
      value: (volume) => deletionOr(volume, volume.status?.phase),
    },
    {
      name: 'Claim',
      type: 'string',
      description: 'The claim that the volume belongs to.',
      value: ({ spec }) => (spec?.claimRef ? `${spec.claimRef.namespace}/${spec.claimRef.name}` : ''),
    },
    {
      name: 'StorageClass',
      type: 'string',
      description: 'The class of storage that the volume is of.',
      value: (volume) => storageClassOf(volume),
    },
    {
      name: 'VolumeAttributesClass',
      type: 'string',
      description: 'The volume attributes class that the volume has.',
      value: (volume) => volume.spec?.volumeAttributesClassName ?? '<unset>',
    },
    {
      name: 'Reason',
      type: 'string',
      description: 'Why the volume is in this state.',
      value: (volume) => volume.status?.reason ?? '',
    },
    ageColumn,
    {
      name: 'VolumeMode',
      type: 'string',
      priority: 1,
      description: 'Filesystem or Block.',
      value: (volume) => volume.spec?.volumeMode ?? '<unset>',
    },
  ],
  applyDefaults: (volume) => {
    volume.status = { ...volume.status, phase: volume.status?.phase ?? 'Pending' };
  },
});
