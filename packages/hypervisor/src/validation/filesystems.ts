import type { FieldError } from '@vireo/api';
import { MAX_TAG_BYTES } from '@vireo/api/kinds/kubevirt/mounts.ts';
import { isConfigVolume, isHotpluggable, type Volume } from '@vireo/api/kinds/kubevirt/volume.ts';
import { duplicates, type Rule, type Subject, when } from './rule.ts';

/** The gate for claims; ConfigMaps and their like need none. */
export const CLAIM_GATE = 'EnableVirtioFsStorageVolumes';

/** Filesystems are there for volumes that are directories, and for nothing that is a disk as well. */
export const filesystems: Rule = (subject) => {
  const { spec, path, config } = subject;
  const list = `${path}.domain.devices.filesystems`;
  const given = spec.domain.devices?.filesystems ?? [];
  const volumes = new Map((spec.volumes ?? []).map((volume) => [volume.name, volume]));
  const claimed = given.some(({ name }) => isClaim(volumes.get(name)));
  const repeated = new Map(duplicates(given.map(({ name }) => name)));
  return [
    ...when(
      claimed && !config.gates.has(CLAIM_GATE),
      list,
      'virtiofs is not allowed: virtiofs feature gate is not enabled for PVC; ' +
        `add ${CLAIM_GATE} to spec.configuration.developerConfiguration.featureGates of the KubeVirt object`,
    ),
    ...given.flatMap(({ name }, index) => [
      ...when(
        repeated.has(index),
        `${list}[${index}].name`,
        `${list}[${index}] and ${list}[${repeated.get(index)}] must not have the same Name.`,
      ),
      ...nameErrors(name, volumes.get(name), `${list}[${index}].name`, subject),
    ]),
  ];
};

const isClaim = (volume: Volume | undefined): boolean =>
  (volume?.persistentVolumeClaim ?? volume?.dataVolume) !== undefined;

function nameErrors(name: string, volume: Volume | undefined, field: string, { spec }: Subject): FieldError[] {
  if (!volume) return when(true, field, `${field} '${name}' not found.`);
  const kind = Object.keys(volume).find((key) => key !== 'name') ?? 'no';
  return [
    ...when(
      Buffer.byteLength(name) > MAX_TAG_BYTES,
      field,
      `${field} '${name}' is longer than the ${MAX_TAG_BYTES} bytes that virtiofs has for it`,
    ),
    ...when(
      spec.domain.devices?.disks?.some((disk) => disk.name === name),
      field,
      `${field} '${name}' is also the name of a disk: a volume is either a disk or a filesystem`,
    ),
    ...when(
      !isClaim(volume) && !isConfigVolume(volume),
      field,
      `${field} '${name}' is a volume of kind ${kind}, which cannot be shared: ` +
        'use persistentVolumeClaim, dataVolume, configMap, secret, serviceAccount or downwardAPI',
      'FieldValueNotSupported',
    ),
    ...when(
      isHotpluggable(volume),
      field,
      `${field} '${name}' is a hotpluggable volume: filesystems are there from the start; remove hotpluggable`,
    ),
  ];
}
