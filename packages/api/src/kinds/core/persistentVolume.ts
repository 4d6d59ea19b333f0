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

export const PersistentVolumeSpec = struct(
  'io.k8s.api.core.v1.PersistentVolumeSpec',
  'What the storage is, and who may have it.',
  {
    accessModes: opt(3, list(string, 'atomic'), 'How it may be mounted.'),
    awsElasticBlockStore: opt([2, 2], AWSElasticBlockStoreVolumeSource, 'A disk at AWS.'),
    azureDisk: opt([2, 16], AzureDiskVolumeSource, 'A data disk at Azure.'),
    azureFile: opt([2, 13], AzureFilePersistentVolumeSource, 'A file share at Azure.'),
    capacity: opt(1, map(quantity), 'How large it is.'),
    cephfs: opt([2, 9], CephFSPersistentVolumeSource, 'A Ceph file system.'),
    cinder: opt([2, 8], CinderPersistentVolumeSource, 'A Cinder volume.'),
    claimRef: opt(4, refine(ObjectReference, { mapType: 'granular' }), 'The claim that it is bound to.'),
    csi: opt([2, 22], CSIPersistentVolumeSource, 'A volume that a CSI driver serves.'),
    fc: opt([2, 10], FCVolumeSource, 'A Fibre Channel disk.'),
    flexVolume: opt([2, 12], FlexPersistentVolumeSource, 'A volume of an exec-based driver.'),
    flocker: opt([2, 11], FlockerVolumeSource, 'A Flocker dataset.'),
    gcePersistentDisk: opt([2, 1], GCEPersistentDiskVolumeSource, 'A disk at Google.'),
    glusterfs: opt([2, 4], GlusterfsPersistentVolumeSource, 'A Glusterfs volume.'),
    hostPath: opt([2, 3], HostPathVolumeSource, 'A path of the node; for one node only.'),
    iscsi: opt([2, 7], ISCSIPersistentVolumeSource, 'An iSCSI disk.'),
    local: opt([2, 20], LocalVolumeSource, 'A disk or directory of one node.'),
    mountOptions: opt(7, list(string, 'atomic'), 'Options for mounting.'),
    nfs: opt([2, 5], NFSVolumeSource, 'A directory of an NFS server.'),
    nodeAffinity: opt(9, VolumeNodeAffinity, 'The nodes that can reach it.'),
    persistentVolumeReclaimPolicy: opt(5, string, {
      default: 'Retain',
      doc: 'What happens when the claim goes: Retain, Delete or Recycle.',
    }),
    photonPersistentDisk: opt([2, 17], PhotonPersistentDiskVolumeSource, 'A Photon disk.'),
    portworxVolume: opt([2, 18], PortworxVolumeSource, 'A Portworx volume.'),
    quobyte: opt([2, 15], QuobyteVolumeSource, 'A Quobyte volume.'),
    rbd: opt([2, 6], RBDPersistentVolumeSource, 'A Rados block device.'),
    scaleIO: opt([2, 19], ScaleIOPersistentVolumeSource, 'A ScaleIO volume.'),
    storageClassName: opt(6, string, 'Class that it belongs to.'),
    storageos: opt([2, 21], StorageOSPersistentVolumeSource, 'A StorageOS volume.'),
    volumeAttributesClassName: opt(10, string, { pointer: true, doc: 'Class of attributes that it has.' }),
    volumeMode: opt(8, string, { default: 'Filesystem', pointer: true, doc: 'Filesystem or Block.' }),
    vsphereVolume: opt([2, 14], VsphereVirtualDiskVolumeSource, 'A vSphere disk.'),
  },
);
export interface PersistentVolumeSpec extends Infer<typeof PersistentVolumeSpec> {}

export const PersistentVolumeStatus = struct('io.k8s.api.core.v1.PersistentVolumeStatus', 'How a volume is doing.', {
  lastPhaseTransitionTime: opt(4, time, 'When the phase last changed.'),
  message: opt(2, string, 'Details, for people.'),
  phase: opt(1, string, 'Pending, Available, Bound, Released or Failed.'),
  reason: opt(3, string, 'Why, in one CamelCase word.'),
});
export interface PersistentVolumeStatus extends Infer<typeof PersistentVolumeStatus> {}

export const PersistentVolumeSchema = struct(
  'io.k8s.api.core.v1.PersistentVolume',
  'A piece of storage that a claim can have.',
  {
    ...objectFields,
    spec: opt(2, PersistentVolumeSpec, 'Desired state of the PersistentVolume.'),
    status: opt(3, PersistentVolumeStatus, 'Observed state of the PersistentVolume. The system writes it.'),
  },
);
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

/** The node that a local volume is on, by its affinity; undefined for one that is not tied to a node. */
export const nodeOfVolume = ({ spec }: PersistentVolume): string | undefined =>
  spec?.nodeAffinity?.required?.nodeSelectorTerms
    .flatMap(({ matchExpressions = [] }) => matchExpressions)
    .find(({ key }) => key === 'kubernetes.io/hostname')?.values?.[0];
