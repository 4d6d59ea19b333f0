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
import { PROVISIONED_BY, SHARED_PROVISIONER, sharedLabel, VOLUME_MANAGER } from './volumeNames.ts';

export const PersistentVolumeSpec = struct(
  'io.k8s.api.core.v1.PersistentVolumeSpec',
  'Source, size and policies of a PersistentVolume.',
  {
    accessModes: opt(3, list(string, 'atomic'), 'Ways in which the volume may be mounted.'),
    awsElasticBlockStore: opt([2, 2], AWSElasticBlockStoreVolumeSource, 'Disk of AWS Elastic Block Store.'),
    azureDisk: opt([2, 16], AzureDiskVolumeSource, 'Data disk of Azure.'),
    azureFile: opt([2, 13], AzureFilePersistentVolumeSource, 'File share of Azure.'),
    capacity: opt(1, map(quantity), 'Size of the volume, under the key storage.'),
    cephfs: opt([2, 9], CephFSPersistentVolumeSource, 'Ceph file system (CephFS).'),
    cinder: opt([2, 8], CinderPersistentVolumeSource, 'Volume of OpenStack Cinder.'),
    claimRef: opt(4, refine(ObjectReference, { mapType: 'granular' }), 'The claim that the volume is bound to.'),
    csi: opt([2, 22], CSIPersistentVolumeSource, 'A volume that a CSI driver serves.'),
    fc: opt([2, 10], FCVolumeSource, 'Disk on a Fibre Channel network.'),
    flexVolume: opt([2, 12], FlexPersistentVolumeSource, 'A volume of an exec-based driver.'),
    flocker: opt([2, 11], FlockerVolumeSource, 'Dataset of Flocker. Deprecated.'),
    gcePersistentDisk: opt([2, 1], GCEPersistentDiskVolumeSource, 'Persistent disk of Google Compute Engine.'),
    glusterfs: opt([2, 4], GlusterfsPersistentVolumeSource, 'Volume of a Gluster cluster. Deprecated.'),
    hostPath: opt([2, 3], HostPathVolumeSource, 'A path of the node; for one node only.'),
    iscsi: opt([2, 7], ISCSIPersistentVolumeSource, 'Disk of an iSCSI target.'),
    local: opt([2, 20], LocalVolumeSource, 'A disk or directory of one node.'),
    mountOptions: opt(7, list(string, 'atomic'), 'Mount options, such as noatime.'),
    nfs: opt([2, 5], NFSVolumeSource, 'A directory of an NFS server.'),
    nodeAffinity: opt(9, VolumeNodeAffinity, 'Nodes that the volume can be accessed from.'),
    persistentVolumeReclaimPolicy: opt(5, string, {
      default: 'Retain',
      doc: 'What happens to the volume when its claim is deleted: Retain, Delete or Recycle.',
    }),
    photonPersistentDisk: opt([2, 17], PhotonPersistentDiskVolumeSource, 'Disk of VMware Photon. Deprecated.'),
    portworxVolume: opt([2, 18], PortworxVolumeSource, 'Volume of a Portworx cluster.'),
    quobyte: opt([2, 15], QuobyteVolumeSource, 'Volume of a Quobyte cluster. Deprecated.'),
    rbd: opt([2, 6], RBDPersistentVolumeSource, 'Block device of Ceph (RBD).'),
    scaleIO: opt([2, 19], ScaleIOPersistentVolumeSource, 'Volume of ScaleIO. Deprecated.'),
    storageClassName: opt(6, string, 'Name of the StorageClass that the volume belongs to.'),
    storageos: opt([2, 21], StorageOSPersistentVolumeSource, 'Volume of a StorageOS cluster. Deprecated.'),
    volumeAttributesClassName: opt(10, string, {
      pointer: true,
      doc: 'Name of the VolumeAttributesClass of the volume.',
    }),
    volumeMode: opt(8, string, {
      default: 'Filesystem',
      pointer: true,
      doc: 'How the volume is used: Filesystem or Block. Defaults to Filesystem.',
    }),
    vsphereVolume: opt([2, 14], VsphereVirtualDiskVolumeSource, 'Virtual disk of VMware vSphere.'),
  },
);
export interface PersistentVolumeSpec extends Infer<typeof PersistentVolumeSpec> {}

export const PersistentVolumeStatus = struct(
  'io.k8s.api.core.v1.PersistentVolumeStatus',
  'Observed state of a PersistentVolume.',
  {
    lastPhaseTransitionTime: opt(4, time, 'When the phase last changed.'),
    message: opt(2, string, 'Human-readable details about the phase.'),
    phase: opt(1, string, 'Pending, Available, Bound, Released or Failed.'),
    reason: opt(3, string, 'Reason for the phase as one CamelCase word.'),
  },
);
export interface PersistentVolumeStatus extends Infer<typeof PersistentVolumeStatus> {}

export const PersistentVolumeSchema = struct(
  'io.k8s.api.core.v1.PersistentVolume',
  'Storage that a PersistentVolumeClaim can be bound to.',
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
      description: 'What happens to the volume when its claim is deleted.',
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
      description: 'How the volume is used: Filesystem or Block.',
      value: (volume) => volume.spec?.volumeMode ?? '<unset>',
    },
  ],
  applyDefaults: (volume) => {
    volume.status = { ...volume.status, phase: volume.status?.phase ?? 'Pending' };
  },
});

/** Whether the volume is in a directory that several nodes have. */
export const isSharedVolume = ({ metadata }: PersistentVolume): boolean =>
  metadata.annotations?.[PROVISIONED_BY] === SHARED_PROVISIONER;

/** The id of the shared directory that a volume is in, by its affinity; undefined for one that is in none. */
export const sharedIdOf = (volume: PersistentVolume): string | undefined =>
  affinityTerms(volume)
    .find(({ key }) => key.startsWith(sharedLabel('')))
    ?.key.slice(sharedLabel('').length);

/** The node that deals with the data of a volume: where it is, or for one that several nodes have, who was chosen. */
export const servingNodeOf = (volume: PersistentVolume): string | undefined =>
  nodeOfVolume(volume) ?? (isSharedVolume(volume) ? volume.metadata.annotations?.[VOLUME_MANAGER] : undefined);

/** The node that a local volume is on, by its affinity; undefined for one that is not tied to a node. */
export const nodeOfVolume = (volume: PersistentVolume): string | undefined =>
  affinityTerms(volume).find(({ key }) => key === 'kubernetes.io/hostname')?.values?.[0];

const affinityTerms = ({ spec }: PersistentVolume) =>
  (spec?.nodeAffinity?.required?.nodeSelectorTerms ?? []).flatMap(({ matchExpressions = [] }) => matchExpressions);
