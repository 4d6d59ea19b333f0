import { ConfigMap, type Namespace } from '@vireo/api';
import { type Client, ignoreConcurrentCreate } from '@vireo/kube';

export const ROOT_CA_NAME = 'kube-root-ca.crt';
const KEY = 'ca.crt';

/** Makes the config map, or mends it. A namespace on its way out gets nothing new. */
export async function reconcileRootCa(
  { metadata, status }: Namespace,
  existing: ConfigMap | undefined,
  caPem: string,
  client: Client,
): Promise<void> {
  if (metadata.deletionTimestamp || status?.phase === 'Terminating') return;
  const maps = client.of(ConfigMap);
  const namespace = metadata.name;
  if (!existing) {
    await maps
      .create({ metadata: { name: ROOT_CA_NAME, namespace }, data: { [KEY]: caPem } })
      .catch(ignoreConcurrentCreate);
    return;
  }
  if (existing.data?.[KEY] === caPem && Object.keys(existing.data).length === 1) return;
  await maps.update({ ...existing, data: { [KEY]: caPem } });
}
