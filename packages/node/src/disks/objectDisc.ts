import type { ObjectMeta } from '@vireo/api';
import type { VirtualMachineInstance } from '@vireo/api/kinds/kubevirt/virtualMachineInstance.ts';
import { isConfigVolume, type Volume } from '@vireo/api/kinds/kubevirt/volume.ts';
import { isoImage } from '../iso9660.ts';
import type { ReadSecret } from './cloudInit.ts';

/** Reads the content of an object of the VM's namespace, by key; rejects when there is none. */
export interface ObjectReaders {
  readonly readSecret: ReadSecret;
  readonly readConfigMap: ReadSecret;
  /** What a pod would find of a service account. */
  readonly readServiceAccount: ReadSecret;
}

/** Files by their paths. */
export type Files = Readonly<Record<string, Buffer | string>>;

/** Guests find the disc by its label where the volume gives it none. */
const LABEL = 'cfgdata';
const SYSPREP_LABEL = 'sysprep';
/** What Windows looks for. */
const ANSWERS = /^(auto)?unattend\.xml$/i;

/** A disc with the content of a ConfigMap, a Secret, a service account or the VM itself; undefined for volumes of other kinds. */
export async function objectDisc(
  vmi: VirtualMachineInstance,
  volume: Volume,
  readers: ObjectReaders,
): Promise<Buffer | undefined> {
  const { configMap, secret, downwardAPI, sysprep } = volume;
  if (isConfigVolume(volume)) {
    const volumeLabel = (configMap ?? secret ?? downwardAPI)?.volumeLabel || LABEL;
    return isoImage({ volumeLabel, files: await objectFiles(vmi, volume, readers) });
  }
  if (!sysprep) return undefined;
  const files = sysprep.configMap
    ? await read(readers.readConfigMap, sysprep.configMap.name, false)
    : await read(readers.readSecret, sysprep.secret?.name, false);
  if (!Object.keys(files).some((name) => ANSWERS.test(name)))
    throw new Error('sysprep: neither autounattend.xml nor unattend.xml found');
  return isoImage({ volumeLabel: SYSPREP_LABEL, files });
}

/** The content of a ConfigMap, a Secret, a service account or the VM itself, by path. */
export async function objectFiles(
  { metadata }: VirtualMachineInstance,
  { configMap, secret, serviceAccount, downwardAPI }: Volume,
  readers: ObjectReaders,
): Promise<Files> {
  if (configMap) return read(readers.readConfigMap, configMap.name, configMap.optional);
  if (secret) return read(readers.readSecret, secret.secretName, secret.optional);
  if (serviceAccount) return readers.readServiceAccount(serviceAccount.serviceAccountName ?? '');
  const entries = (downwardAPI?.fields ?? []).map(({ path, fieldRef }) => {
    if (path.split('/').some((part) => part === '' || part === '.' || part === '..'))
      throw new Error(`downwardAPI: ${JSON.stringify(path)} is not a valid file path`);
    return [path, fieldValue(metadata, fieldRef?.fieldPath ?? '')];
  });
  return Object.fromEntries(entries);
}

async function read(from: ReadSecret, name: string | undefined, isOptional: boolean | undefined): Promise<Files> {
  try {
    return await from(name ?? '');
  } catch (error) {
    if (isOptional) return {};
    throw error;
  }
}

/** `metadata.name` and its like, `metadata.labels['key']`, or all labels as lines of `key="value"`. */
export function fieldValue(metadata: ObjectMeta, path: string): string {
  const [, map, key] = /^metadata\.(labels|annotations)(?:\['([^']*)'\])?$/.exec(path) ?? [];
  if (map === 'labels' || map === 'annotations') {
    const values = metadata[map] ?? {};
    if (key !== undefined) return values[key] ?? '';
    return Object.keys(values)
      .sort()
      .map((each) => `${each}=${JSON.stringify(values[each])}`)
      .join('\n');
  }
  const [, field] = /^metadata\.(name|namespace|uid)$/.exec(path) ?? [];
  if (field === undefined) throw new Error(`downwardAPI: fieldPath ${JSON.stringify(path)} is not a field of the VMI`);
  return metadata[field as 'name' | 'namespace' | 'uid'] ?? '';
}
