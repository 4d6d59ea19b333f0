import { ConfigMap, type Pod, Secret } from '@vireo/api';
import type { Vmi } from '@vireo/api/kinds/kubevirt/vmi.ts';
import type { Client } from '@vireo/kube';
import type { ReadSecret } from './cloudInit.ts';
import type { ObjectReaders } from './objectDisc.ts';
import { readNamed } from './readNamed.ts';
import { serviceAccountReader } from './serviceAccount.ts';

/** What reads the objects that volumes of a VMI are made of. */
export const objectReaders = (kubelet: Client, vmi: Vmi, pod: Pod | undefined): ObjectReaders => ({
  readSecret: secretReader(kubelet, vmi),
  readConfigMap: configMapReader(kubelet, vmi),
  readServiceAccount: serviceAccountReader(kubelet, pod),
});

/** Reads Secrets of the VMI's namespace. */
export const secretReader =
  (kubelet: Client, { metadata: { namespace } }: Vmi): ReadSecret =>
  async (name) => {
    const { data = {} } = await readNamed(() => kubelet.of(Secret).get(name, { namespace }));
    return Object.fromEntries(Object.entries(data).map(([key, value]) => [key, Buffer.from(value, 'base64')]));
  };

/** Reads ConfigMaps of the VMI's namespace. */
const configMapReader =
  (kubelet: Client, { metadata: { namespace } }: Vmi): ReadSecret =>
  async (name) => {
    const { data = {}, binaryData = {} } = await readNamed(() => kubelet.of(ConfigMap).get(name, { namespace }));
    const texts = Object.entries(data).map(([key, value]) => [key, Buffer.from(value)]);
    const bytes = Object.entries(binaryData).map(([key, value]) => [key, Buffer.from(value, 'base64')]);
    return Object.fromEntries([...texts, ...bytes]);
  };
