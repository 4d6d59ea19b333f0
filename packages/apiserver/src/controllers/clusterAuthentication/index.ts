import { ConfigMap } from '@vireo/api';
import { type ControllerContext, ignoreConcurrentCreate, runController, watch } from '@vireo/kube';
import type { Pki } from '../../auth/pki.ts';
import { AUTHENTICATION_CONFIG, authenticationConfig, FRONT_PROXY_NAMES } from '../../bootstrap/objects.ts';
import { mergedAuthentication } from './merge.ts';

export const CLUSTER_AUTHENTICATION_USER = 'system:serviceaccount:kube-system:cluster-authentication-trust-controller';

const NAMESPACE = 'kube-system';
const KEY = `${NAMESPACE}/${AUTHENTICATION_CONFIG}`;

/** Maintains the ConfigMap that tells aggregated servers which authorities to trust. */
export async function startClusterAuthenticationController(
  context: ControllerContext & { readonly pki: Pick<Pki, 'ca' | 'frontProxyCa'> },
  signal: AbortSignal,
): Promise<void> {
  const { client, informers, pki } = context;
  const maps = informers.for(ConfigMap, { fieldSelector: `metadata.name=${AUTHENTICATION_CONFIG}` });
  const wanted = authenticationConfig({
    caPem: pki.ca.certPem,
    frontProxyCaPem: pki.frontProxyCa.certPem,
    frontProxyNames: FRONT_PROXY_NAMES,
  });
  await runController(
    {
      name: 'cluster-authentication-trust',
      watches: [watch(maps, ({ metadata }) => (metadata.namespace === NAMESPACE ? KEY : []))],
      initialKeys: () => [KEY],
      reconcile: async () => {
        const existing = maps.get(KEY);
        if (!existing) {
          await client.of(ConfigMap).create(wanted).catch(ignoreConcurrentCreate);
          return;
        }
        const data = mergedAuthentication(wanted.data ?? {}, existing.data ?? {}, new Date());
        if (data) await client.of(ConfigMap).update({ ...existing, data });
      },
    },
    context,
    signal,
  );
}
