import { ConfigMap, Secret } from '@vireo/api';
import { type ControllerContext, ignoreConcurrentCreate, runController, systemClock, watch } from '@vireo/kube';
import { BOOTSTRAP_TOKEN_NAMESPACE, BOOTSTRAP_TOKEN_TYPE } from '@vireo/kube/joining/bootstrapToken.ts';
import { CLUSTER_INFO, KUBECONFIG_KEY } from '@vireo/kube/joining/clusterInfo.ts';
import { signedData } from './status.ts';

export const BOOTSTRAP_SIGNER_USER = 'system:serviceaccount:kube-system:bootstrap-signer';

const KEY = `${CLUSTER_INFO.namespace}/${CLUSTER_INFO.name}`;

/**
 * Keeps `cluster-info` true: where other hosts reach the server, signed by each bootstrap token, so that whoever has a
 * token knows that it is this server's.
 */
export async function startBootstrapSigner(
  context: ControllerContext & {
    /** The kubeconfig to publish. */ readonly clusterInfo: string;
  },
  signal: AbortSignal,
): Promise<void> {
  const { client, informers, clusterInfo, clock = systemClock } = context;
  const secrets = informers.for(Secret, {
    namespace: BOOTSTRAP_TOKEN_NAMESPACE,
    fieldSelector: `type=${BOOTSTRAP_TOKEN_TYPE}`,
  });
  const maps = informers.for(ConfigMap, {
    namespace: CLUSTER_INFO.namespace,
    fieldSelector: `metadata.name=${CLUSTER_INFO.name}`,
  });
  await runController(
    {
      name: 'bootstrap-signer',
      watches: [watch(secrets, () => KEY), watch(maps, () => KEY)],
      initialKeys: () => [KEY],
      reconcile: async () => {
        const map = maps.get(KEY);
        if (!map) {
          const data = { [KUBECONFIG_KEY]: clusterInfo };
          await client.of(ConfigMap).create({ metadata: CLUSTER_INFO, data }).catch(ignoreConcurrentCreate);
          return;
        }
        const data = signedData(map.data ?? {}, clusterInfo, secrets.list(), clock.now());
        if (data) await client.of(ConfigMap).update({ ...map, data });
      },
    },
    context,
    signal,
  );
}
