import { type FieldError, fieldError } from '@vireo/api';
import type { Volume } from '@vireo/api/kinds/kubevirt/volume.ts';
import type { ClusterConfig } from '../clusterConfig.ts';
import { readQuantity } from '../domainSpec.ts';
import { cloudInit } from './cloudInit.ts';
import { absolutePath } from './firmware.ts';
import { duplicates, type Rule, when } from './rule.ts';

export const volumes: Rule = ({ spec, path, config }) => {
  const given = spec.volumes ?? [];
  const list = `${path}.volumes`;
  const repeated = new Map(duplicates(given.map(({ name }) => name)));
  const atMostOne = (kind: keyof Volume, word: string): FieldError[] =>
    when(given.filter((volume) => volume[kind]).length > 1, list, `${list} must have max one ${word} volume set`);
  return [
    ...given.flatMap((volume, index) => {
      const field = `${list}[${index}]`;
      return [
        ...when(
          repeated.has(index),
          `${field}.name`,
          `${field} and ${list}[${repeated.get(index)}] must not have the same Name.`,
        ),
        ...source(volume, field, config),
      ];
    }),
    ...atMostOne('serviceAccount', 'serviceAccount'),
    ...atMostOne('downwardMetrics', 'downwardMetric'),
    ...atMostOne('memoryDump', 'memory dump'),
    ...when(
      (spec.utilityVolumes ?? []).length,
      `${path}.utilityVolumes`,
      'utility volumes cannot be set when a VMI is created',
    ),
  ];
};

function source(volume: Volume, field: string, config: ClusterConfig): FieldError[] {
  const { name: _name, ...sources } = volume;
  const set = Object.values(sources).filter((value) => value !== undefined && value !== null).length;
  const required = (value: string | undefined, at: string): FieldError[] =>
    when(!value, at, `${at} is a required field`);
  const { dataVolume, configMap, secret, serviceAccount, downwardMetrics, containerDisk } = volume;
  return [
    ...when(set !== 1, field, `${field} must have exactly one source type set`),
    ...when(dataVolume && !dataVolume.name, `${field}.name`, "DataVolume 'name' must be set", 'FieldValueRequired'),
    ...cloudInit(volume, field),
    ...when(
      downwardMetrics && !config.gates.has('DownwardMetrics'),
      field,
      'downwardMetrics disks are not allowed: DownwardMetrics feature gate is not enabled.',
    ),
    ...emptyDisk(volume, field),
    ...hostDisk(volume, field, config),
    ...(configMap ? required(configMap.name, `${field}.configMap.name`) : []),
    ...(secret ? required(secret.secretName, `${field}.secret.secretName`) : []),
    ...(serviceAccount
      ? required(serviceAccount.serviceAccountName, `${field}.serviceAccount.serviceAccountName`)
      : []),
    ...absolutePath(`${field}.containerDisk`, containerDisk?.path),
  ];
}

function emptyDisk({ emptyDisk: disk }: Volume, field: string): FieldError[] {
  const capacity = readQuantity(disk?.capacity);
  const at = `${field}.emptyDisk.capacity`;
  return when(capacity && capacity.nano <= 0n, at, `${at} '${disk?.capacity}': must be greater than 0.`);
}

function hostDisk({ hostDisk: disk }: Volume, field: string, config: ClusterConfig): FieldError[] {
  if (!disk) return [];
  const at = `${field}.hostDisk`;
  return [
    ...when(!config.gates.has('HostDisk'), field, 'HostDisk feature gate is not enabled'),
    ...when(!disk.path, `${at}.path`, `${at}.path is required for hostDisk volume`, 'FieldValueNotFound'),
    ...when(
      disk.type !== 'Disk' && disk.type !== 'DiskOrCreate',
      `${at}.type`,
      `${at}.type has invalid value '${disk.type}', allowed are 'Disk' or 'DiskOrCreate'`,
    ),
    ...when(
      disk.type === 'Disk' && disk.capacity !== undefined,
      `${at}.capacity`,
      `${at}.capacity is allowed to pass only with ${at}.type equal to 'DiskOrCreate'`,
    ),
  ];
}

/** Paths of the launcher that are none of the guest's business. */
const RESERVED_PATHS = ['/var/run/kubevirt', '/var/run/libvirt', '/proc', '/sys', '/dev', '/etc', '/init'];

/** A VMI, unlike a template, has a disk or a filesystem for each of its volumes. */
export const unusedVolumes: Rule = ({ spec, path }) => {
  const { disks = [], filesystems = [] } = spec.domain.devices ?? {};
  const shared = new Set(filesystems.map(({ name }) => name));
  const used = new Set([...disks.map(({ name }) => name), ...shared]);
  return (spec.volumes ?? []).flatMap(({ name, memoryDump, containerPath }, index) => {
    const field = `${path}.volumes[${index}]`;
    if (containerPath && !shared.has(name)) {
      return [fieldError(field, `${field} has a containerPath, which requires a filesystem with the same name`)];
    }
    const isReserved = RESERVED_PATHS.some(
      (reserved) => containerPath?.path === reserved || containerPath?.path.startsWith(`${reserved}/`),
    );
    return [
      ...when(
        !used.has(name) && !memoryDump,
        `${path}.domain.volumes[${index}].name`,
        `${path}.domain.volumes[${index}].name '${name}' not found.`,
      ),
      ...when(isReserved, `${field}.containerPath.path`, `${field}.containerPath.path is a reserved path`),
    ];
  });
};
