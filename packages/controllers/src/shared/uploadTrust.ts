import { ConfigMap } from '@vireo/api';
import { CA_BUNDLE_KEY, CA_NAME, KUBEVIRT_NAMESPACE } from '@vireo/api/kinds/kubevirt/names.ts';
import type { Client } from '@vireo/kube';

const ROOT_CA = 'kube-root-ca.crt';

/** How often what servers are trusted by is looked at again: a CA is published for minutes before it signs. */
export const TRUST_MS = 60_000;

/**
 * PEM of the CAs that the server of uploads and exports may be trusted by: the cluster's, where its API server forwards
 * them, and that of the extension's own certificates. Undefined: neither is published yet.
 */
export async function uploadTrust(
  client: Client,
  namespace: string | undefined = KUBEVIRT_NAMESPACE,
): Promise<string | undefined> {
  const maps = client.of(ConfigMap);
  const [root, own] = await Promise.all([
    maps.find(ROOT_CA, { namespace }),
    maps.find(CA_NAME, { namespace: KUBEVIRT_NAMESPACE }),
  ]);
  const found = [root?.data?.['ca.crt'], own?.data?.[CA_BUNDLE_KEY]].flatMap((pem) => pem?.trim() || []);
  return found.length === 0 ? undefined : found.map((pem) => `${pem}\n`).join('');
}
