import { type FieldError, field, type KeyToPath, type Volume, type VolumeProjection } from '@vireo/api';
import { dnsLabel, dnsSubdomain } from '@vireo/api/names.ts';
import { isNegative, isQuantity } from '../amounts.ts';
import { duplicates, each, inRange, oneOf, present, requiredText } from '../fields.ts';
import { configKeyErrors } from '../names.ts';
import { validateFieldPath, validateResourceField } from './environment.ts';

type SourceName = Exclude<keyof Volume & string, 'name'>;

const SOURCES: readonly SourceName[] = [
  'emptyDir',
  'hostPath',
  'gitRepo',
  'gcePersistentDisk',
  'awsElasticBlockStore',
  'secret',
  'nfs',
  'iscsi',
  'glusterfs',
  'flocker',
  'rbd',
  'cinder',
  'cephfs',
  'quobyte',
  'downwardAPI',
  'fc',
  'configMap',
  'persistentVolumeClaim',
  'azureFile',
  'vsphereVolume',
  'photonPersistentDisk',
  'portworxVolume',
  'azureDisk',
  'storageos',
  'scaleIO',
  'projected',
  'csi',
  'ephemeral',
  'image',
];

const HOST_PATH_TYPES = [
  '',
  'BlockDevice',
  'CharDevice',
  'Directory',
  'DirectoryOrCreate',
  'File',
  'FileOrCreate',
  'Socket',
];
const ACCESS_MODES = ['ReadOnlyMany', 'ReadWriteMany', 'ReadWriteOnce', 'ReadWriteOncePod'];

/** A pod's volumes: each named once, each of exactly one type. */
export const validateVolumes = (volumes: readonly Volume[] | undefined, path: string): FieldError[] => [
  ...each(volumes, path, (volume, at) => [
    ...requiredText(`${at}.name`, volume.name, dnsLabel),
    ...validateVolume(volume, at),
  ]),
  ...duplicates(
    volumes,
    (volume) => volume.name,
    (index) => `${path}[${index}].name`,
  ),
];

function validateVolume(volume: Volume, path: string): FieldError[] {
  const [first, ...others] = present(volume, SOURCES);
  if (!first) return [field.required(path, 'must specify a volume type')];
  return [
    ...others.map((name) => field.forbidden(`${path}.${name}`, 'may not specify more than 1 volume type')),
    ...validateEmptyDir(volume, path),
    ...validateHostPath(volume.hostPath, `${path}.hostPath`),
    ...validateSecretOrConfigMap(volume, path),
    ...validateRemote(volume, path),
    ...(volume.projected ? validateProjected(volume.projected, `${path}.projected`) : []),
    ...(volume.downwardAPI ? validateDownward(volume.downwardAPI, `${path}.downwardAPI`) : []),
    ...validateClaims(volume, path),
  ];
}

function validateEmptyDir({ emptyDir }: Volume, path: string): FieldError[] {
  const limit = emptyDir?.sizeLimit;
  if (limit === undefined || (isQuantity(limit) && !isNegative(limit))) return [];
  return [field.forbidden(`${path}.emptyDir.sizeLimit`, 'SizeLimit field must be a valid resource quantity')];
}

/** A path on the node; `..` would leave the place that was allowed. */
export function validateHostPath(source: { path?: string; type?: string } | undefined, path: string): FieldError[] {
  if (!source) return [];
  if (!source.path) return [field.required(`${path}.path`)];
  return [...noBacksteps(source.path, `${path}.path`), ...oneOf(`${path}.type`, source.type, HOST_PATH_TYPES)];
}

function validateSecretOrConfigMap({ secret, configMap }: Volume, path: string): FieldError[] {
  return [
    ...(secret
      ? [
          ...requiredText(`${path}.secret.secretName`, secret.secretName),
          ...validateMode(secret.defaultMode, `${path}.secret.defaultMode`),
          ...validateItems(secret.items, `${path}.secret.items`),
        ]
      : []),
    ...(configMap
      ? [
          ...requiredText(`${path}.configMap.name`, configMap.name),
          ...validateMode(configMap.defaultMode, `${path}.configMap.defaultMode`),
          ...validateItems(configMap.items, `${path}.configMap.items`),
        ]
      : []),
  ];
}

function validateRemote({ nfs, csi, iscsi }: Volume, path: string): FieldError[] {
  return [
    ...(nfs
      ? [
          ...requiredText(`${path}.nfs.server`, nfs.server),
          ...requiredText(`${path}.nfs.path`, nfs.path),
          ...(nfs.path && !nfs.path.startsWith('/')
            ? [field.invalid(`${path}.nfs.path`, nfs.path, 'must be an absolute path')]
            : []),
        ]
      : []),
    ...(csi ? requiredText(`${path}.csi.driver`, csi.driver, dnsSubdomain) : []),
    ...(iscsi
      ? [
          ...requiredText(`${path}.iscsi.targetPortal`, iscsi.targetPortal),
          ...requiredText(`${path}.iscsi.iqn`, iscsi.iqn),
          ...inRange(`${path}.iscsi.lun`, iscsi.lun, 0, 255),
        ]
      : []),
  ];
}

function validateClaims({ persistentVolumeClaim, ephemeral }: Volume, path: string): FieldError[] {
  if (persistentVolumeClaim) {
    return requiredText(`${path}.persistentVolumeClaim.claimName`, persistentVolumeClaim.claimName);
  }
  if (!ephemeral) return [];
  const at = `${path}.ephemeral.volumeClaimTemplate`;
  const spec = ephemeral.volumeClaimTemplate?.spec;
  if (!spec) return [field.required(at)];
  return [
    ...((spec.accessModes ?? []).length === 0
      ? [field.required(`${at}.spec.accessModes`, 'at least 1 access mode is required')]
      : each(spec.accessModes, `${at}.spec.accessModes`, (mode) =>
          oneOf(`${at}.spec.accessModes`, mode, ACCESS_MODES, 'required'),
        )),
    ...(spec.resources?.requests?.storage === undefined ? [field.required(`${at}.spec.resources[storage]`)] : []),
  ];
}

function validateProjected(
  projected: { sources?: readonly VolumeProjection[]; defaultMode?: number },
  path: string,
): FieldError[] {
  return [
    ...validateMode(projected.defaultMode, `${path}.defaultMode`),
    ...each(projected.sources, `${path}.sources`, (source, at) => {
      const [first, ...others] = present(source, [
        'secret',
        'configMap',
        'downwardAPI',
        'serviceAccountToken',
        'clusterTrustBundle',
      ]);
      if (!first)
        return [field.required(at, 'must specify one of: secret, configMap, downwardAPI, serviceAccountToken')];
      const token = source.serviceAccountToken;
      return [
        ...others.map((name) => field.forbidden(`${at}.${name}`, 'may not specify more than 1 volume type')),
        ...(source.secret ? requiredText(`${at}.secret.name`, source.secret.name) : []),
        ...validateItems(source.secret?.items, `${at}.secret.items`),
        ...(source.configMap ? requiredText(`${at}.configMap.name`, source.configMap.name) : []),
        ...validateItems(source.configMap?.items, `${at}.configMap.items`),
        ...(source.downwardAPI ? validateDownward(source.downwardAPI, `${at}.downwardAPI`) : []),
        ...(token
          ? [
              ...requiredText(`${at}.serviceAccountToken.path`, token.path),
              ...((token.expirationSeconds ?? 3600) < 600
                ? [
                    field.invalid(
                      `${at}.serviceAccountToken.expirationSeconds`,
                      token.expirationSeconds,
                      'may not specify a duration less than 10 minutes',
                    ),
                  ]
                : []),
            ]
          : []),
      ];
    }),
  ];
}

function validateDownward(
  source: {
    items?: readonly {
      path?: string;
      mode?: number;
      fieldRef?: { fieldPath?: string };
      resourceFieldRef?: { resource?: string; containerName?: string };
    }[];
    defaultMode?: number;
  },
  path: string,
): FieldError[] {
  return [
    ...validateMode(source.defaultMode, `${path}.defaultMode`),
    ...each(source.items, `${path}.items`, (file) => {
      const { fieldRef, resourceFieldRef } = file;
      return [
        ...requiredText(`${path}.path`, file.path),
        ...(file.path ? localPath(file.path, `${path}.path`) : []),
        ...validateMode(file.mode, `${path}.mode`),
        ...(!fieldRef && !resourceFieldRef
          ? [field.required(path, 'one of fieldRef and resourceFieldRef is required')]
          : []),
        ...(fieldRef && resourceFieldRef
          ? [field.invalid(path, 'resource', 'fieldRef and resourceFieldRef can not be specified simultaneously')]
          : []),
        ...(fieldRef ? validateFieldPath(fieldRef.fieldPath, `${path}.fieldRef`) : []),
        ...(resourceFieldRef ? validateResourceField(resourceFieldRef.resource, `${path}.resourceFieldRef`) : []),
        ...(resourceFieldRef
          ? requiredText(`${path}.resourceFieldRef.containerName`, resourceFieldRef.containerName)
          : []),
      ];
    }),
  ];
}

const validateItems = (items: readonly KeyToPath[] | undefined, path: string): FieldError[] =>
  each(items, path, (item, at) => [
    ...requiredText(`${at}.key`, item.key, configKeyErrors),
    ...requiredText(`${at}.path`, item.path),
    ...(item.path ? localPath(item.path, `${at}.path`) : []),
    ...validateMode(item.mode, `${at}.mode`),
  ]);

const validateMode = (mode: number | undefined, path: string): FieldError[] =>
  mode !== undefined && (mode < 0 || mode > 0o777)
    ? [field.invalid(path, mode, 'must be a number between 0 and 0777 (octal), both inclusive')]
    : [];

/** A path below a volume: relative and without a way up. */
export const localPath = (value: string, path: string): FieldError[] => [
  ...(value.startsWith('/') ? [field.invalid(path, value, 'must be a relative path')] : []),
  ...noBacksteps(value, path),
];

const noBacksteps = (value: string, path: string): FieldError[] =>
  value.split('/').includes('..') ? [field.invalid(path, value, "must not contain '..'")] : [];
