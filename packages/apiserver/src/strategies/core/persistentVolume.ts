import { type FieldError, field, type PersistentVolume, type PersistentVolumeSpec } from '@vireo/api';
import { type Amounts, isPositive } from '../amounts.ts';
import { defineStrategy } from '../define.ts';
import { oneOf, present, requiredText } from '../fields.ts';
import { differences, immutable, sameValue } from '../immutable.ts';
import { validateNodeSelector } from '../podSpec/scheduling.ts';
import { validateHostPath } from '../podSpec/volumes.ts';
import { VOLUME_MODES, validateAccessModes } from './persistentVolumeClaim.ts';

const SOURCES = [
  'hostPath',
  'gcePersistentDisk',
  'awsElasticBlockStore',
  'glusterfs',
  'flocker',
  'nfs',
  'rbd',
  'quobyte',
  'cephfs',
  'iscsi',
  'cinder',
  'fc',
  'flexVolume',
  'azureFile',
  'vsphereVolume',
  'photonPersistentDisk',
  'portworxVolume',
  'azureDisk',
  'scaleIO',
  'local',
  'storageos',
  'csi',
] as const satisfies (keyof PersistentVolumeSpec)[];

export const persistentVolumeStrategy = defineStrategy<PersistentVolume>({
  prepareForCreate(volume) {
    volume.status = { phase: 'Pending' };
  },

  validate: ({ spec = {} }, { subresource }) => (subresource === 'status' ? [] : validateSpec(spec)),

  validateUpdate({ spec = {} }, { spec: old = {} }) {
    const [source, before] = [sourceOf(spec), sourceOf(old)];
    return [
      ...(sameValue(source, before)
        ? []
        : [
            field.forbidden(
              'spec.persistentvolumesource',
              `spec.persistentvolumesource is immutable after creation\n${differences('spec', source, before).join('\n')}`,
            ),
          ]),
      ...immutable('spec.volumeMode', spec.volumeMode, old.volumeMode),
      ...(old.nodeAffinity ? immutable('spec.nodeAffinity', spec.nodeAffinity, old.nodeAffinity) : []),
    ];
  },
});

const sourceOf = (spec: PersistentVolumeSpec) => Object.fromEntries(SOURCES.map((name) => [name, spec[name]]));

function validateSpec(spec: PersistentVolumeSpec): FieldError[] {
  return [
    ...((spec.accessModes ?? []).length === 0
      ? [field.required('spec.accessModes')]
      : validateAccessModes(spec.accessModes, 'spec.accessModes')),
    ...validateCapacity(spec.capacity),
    ...oneOf('spec.persistentVolumeReclaimPolicy', spec.persistentVolumeReclaimPolicy, ['Delete', 'Recycle', 'Retain']),
    ...oneOf('spec.volumeMode', spec.volumeMode, VOLUME_MODES),
    ...validateSource(spec),
    ...(spec.nodeAffinity
      ? spec.nodeAffinity.required
        ? validateNodeSelector(spec.nodeAffinity.required, 'spec.nodeAffinity.required')
        : [field.required('spec.nodeAffinity.required', 'must specify required node constraints')]
      : []),
  ];
}

function validateCapacity(capacity: Amounts | undefined): FieldError[] {
  const names = Object.keys(capacity ?? {});
  const amount = capacity?.storage;
  if (names.length === 0) return [field.required('spec.capacity')];
  if (amount === undefined || names.length > 1) return [field.notSupported('spec.capacity', capacity, ['storage'])];
  const positive = isPositive(amount);
  return positive ? [] : [field.invalid('spec.capacity[storage]', String(amount), 'must be greater than zero')];
}

function validateSource(spec: PersistentVolumeSpec): FieldError[] {
  const [first, ...others] = present(spec, SOURCES);
  if (!first) return [field.required('spec', 'must specify a volume type')];
  const { csi, hostPath, local, nfs } = spec;
  return [
    ...others.map((name) => field.forbidden(`spec.${name}`, 'may not specify more than 1 volume type')),
    ...validateHostPath(hostPath, 'spec.hostPath'),
    ...(hostPath?.path === '/' && spec.persistentVolumeReclaimPolicy === 'Recycle'
      ? [field.forbidden('spec.persistentVolumeReclaimPolicy', "may not be 'recycle' for a hostPath mount of '/'")]
      : []),
    ...(local ? requiredText('spec.local.path', local.path) : []),
    ...(local && !spec.nodeAffinity
      ? [field.required('spec.nodeAffinity', 'Local volume requires node affinity')]
      : []),
    ...(csi
      ? [...requiredText('spec.csi.driver', csi.driver), ...requiredText('spec.csi.volumeHandle', csi.volumeHandle)]
      : []),
    ...(nfs ? [...requiredText('spec.nfs.server', nfs.server), ...requiredText('spec.nfs.path', nfs.path)] : []),
  ];
}
