import type { Vmi } from '@vireo/api/kinds/kubevirt/vmi.ts';
import type { Volume } from '@vireo/api/kinds/kubevirt/volume.ts';
import { isoImage } from '../iso9660.ts';
import type { DiscMethod } from './publicKeys.ts';

/** What a cloud-init volume holds, with Secrets already read. */
export interface CloudInitData {
  readonly userData: string;
  readonly networkData: string;
  /** Keys that may log in, beside those of the user data. */
  readonly publicKeys?: readonly string[];
}

/** Reads keys of a Secret in the VM's namespace; rejects when there is none. */
export type ReadSecret = (name: string) => Promise<Readonly<Record<string, Buffer>>>;

type Source = NonNullable<Volume['cloudInitNoCloud']>;

export async function cloudInitData(source: Source, readSecret: ReadSecret): Promise<CloudInitData> {
  const fromSecret = async (name: string | undefined, ...keys: string[]): Promise<string | undefined> => {
    if (!name) return undefined;
    const data = await readSecret(name);
    const key = keys.find((candidate) => data[candidate]);
    if (!key) throw new Error(`Secret ${JSON.stringify(name)} has none of these keys: ${keys.join(', ')}`);
    return data[key]?.toString();
  };
  const decode = (text: string | undefined): string | undefined =>
    text === undefined ? undefined : Buffer.from(text, 'base64').toString();
  return {
    userData:
      (await fromSecret(source.secretRef?.name, 'userdata', 'userData')) ??
      decode(source.userDataBase64) ??
      source.userData ??
      '',
    networkData:
      (await fromSecret(source.networkDataSecretRef?.name, 'networkdata', 'networkData')) ??
      decode(source.networkDataBase64) ??
      source.networkData ??
      '',
  };
}

/** The disc that a guest finds by its label and reads at its first start. */
export function cloudInitImage(
  vmi: Vmi,
  kind: DiscMethod,
  { userData, networkData, publicKeys = [] }: CloudInitData,
): Buffer {
  const { name, namespace = '', uid } = vmi.metadata;
  const hostname = vmi.spec.hostname ?? name;
  const type = instancetypeOf(vmi);
  const keys = publicKeys.length > 0 ? { ...publicKeys } : undefined;
  if (kind === 'noCloud') {
    const metaData = {
      'instance-id': `${name}.${namespace}`,
      'local-hostname': hostname,
      'instance-type': type,
      'public-keys': keys,
    };
    return isoImage({
      volumeLabel: 'cidata',
      files: {
        'meta-data': JSON.stringify(metaData),
        'user-data': userData,
        ...(networkData && { 'network-config': networkData }),
      },
    });
  }
  const metaData = { instance_id: `${name}.${namespace}`, uuid: uid, hostname, instance_type: type, public_keys: keys };
  return isoImage({
    volumeLabel: 'config-2',
    files: {
      'openstack/latest/meta_data.json': JSON.stringify(metaData),
      'openstack/latest/user_data': userData,
      ...(networkData && { 'openstack/latest/network_data.json': networkData }),
    },
  });
}

/** The instance type that gave the VM its size, as its annotations tell. */
const instancetypeOf = ({ metadata: { annotations = {} } }: Vmi): string | undefined =>
  annotations['kubevirt.io/instancetype-name'] ?? annotations['kubevirt.io/cluster-instancetype-name'];
