import { defineKind } from '../../kind.ts';
import { objectFields } from '../../meta.ts';
import { boolean, type Infer, list, map, opt, req, string, struct } from '../../schema.ts';
import { ageColumn } from '../columns.ts';
import { TopologySelectorTerm } from '../core/nodeSelector.ts';

export const StorageClassSchema = struct(
  'io.k8s.api.storage.v1.StorageClass',
  'A class of storage that claims can request.',
  {
    ...objectFields,
    allowVolumeExpansion: opt(6, boolean, { pointer: true, doc: 'Whether a claim may grow.' }),
    allowedTopologies: opt(
      8,
      list(TopologySelectorTerm, 'atomic'),
      'Node topologies in which volumes of the class can be provisioned.',
    ),
    mountOptions: opt(5, list(string, 'atomic'), 'Mount options of the volumes, such as noatime.'),
    parameters: opt(3, map(string), 'Settings that the provisioner defines.'),
    provisioner: req(2, string, 'Name of the driver that provisions the volumes.'),
    reclaimPolicy: opt(4, string, {
      default: 'Delete',
      pointer: true,
      doc: 'What happens to a volume when its claim is deleted: Delete or Retain.',
    }),
    volumeBindingMode: opt(7, string, {
      default: 'Immediate',
      pointer: true,
      doc: 'Immediate, or WaitForFirstConsumer to wait for the pod.',
    }),
  },
);
export interface StorageClass extends Infer<typeof StorageClassSchema> {}

const DEFAULT_ANNOTATIONS = [
  'storageclass.kubernetes.io/is-default-class',
  'storageclass.beta.kubernetes.io/is-default-class',
];

/** Whether claims that name no class get this one. */
export const isDefaultStorageClass = ({ metadata }: StorageClass): boolean =>
  DEFAULT_ANNOTATIONS.some((annotation) => metadata.annotations?.[annotation] === 'true');

/** Prefers the class that is marked for VMs over the one for everything. */
const VIRT_DEFAULT_ANNOTATION = 'storageclass.kubevirt.io/is-default-virt-class';

/** The class of a DataVolume that requests storage and names no class. */
export const defaultVirtStorageClass = <T extends StorageClass>(classes: readonly T[]): T | undefined =>
  classes.find(({ metadata }) => metadata.annotations?.[VIRT_DEFAULT_ANNOTATION] === 'true') ??
  classes.find(isDefaultStorageClass);

export const StorageClass = defineKind<StorageClass>({
  group: 'storage.k8s.io',
  version: 'v1',
  kind: 'StorageClass',
  plural: 'storageclasses',
  namespaced: false,
  shortNames: ['sc'],
  schema: StorageClassSchema,
  columns: [
    {
      name: 'Name',
      type: 'string',
      format: 'name',
      description: 'Name of the class, and whether it is the default.',
      value: (storageClass) =>
        isDefaultStorageClass(storageClass) ? `${storageClass.metadata.name} (default)` : storageClass.metadata.name,
    },
    {
      name: 'Provisioner',
      type: 'string',
      description: 'Name of the driver that provisions the volumes.',
      value: ({ provisioner }) => provisioner,
    },
    {
      name: 'ReclaimPolicy',
      type: 'string',
      description: 'What happens to a volume when its claim is deleted.',
      value: ({ reclaimPolicy }) => reclaimPolicy ?? 'Delete',
    },
    {
      name: 'VolumeBindingMode',
      type: 'string',
      description: 'When a volume is made for a claim.',
      value: ({ volumeBindingMode }) => volumeBindingMode ?? 'Immediate',
    },
    {
      name: 'AllowVolumeExpansion',
      type: 'string',
      description: 'Whether a claim may grow.',
      value: ({ allowVolumeExpansion }) => allowVolumeExpansion ?? false,
    },
    ageColumn,
  ],
});
