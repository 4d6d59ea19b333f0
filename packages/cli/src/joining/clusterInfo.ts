import { ConfigMap, isReason, Role, RoleBinding } from '@vireo/api';
import { type Client, type HttpConfig, ignoreAlreadyExists } from '@vireo/kube';
import type { BootstrapToken } from '@vireo/kube/joining/bootstrapToken.ts';
import {
  CLUSTER_INFO,
  type ClusterInfo,
  clusterInfoKubeconfig,
  KUBECONFIG_KEY,
  readClusterInfo,
  signatureKey,
  signText,
} from '@vireo/kube/joining/clusterInfo.ts';
import { Failure } from '../failure.ts';

/**
 * What a cluster tells whoever joins, signed by the token. Clusters that kubeadm has not made may have nothing to tell:
 * then what this client's own kubeconfig says is published.
 */
export async function publishClusterInfo(
  client: Client,
  config: Pick<HttpConfig, 'server' | 'certificateAuthority'>,
  token: BootstrapToken,
): Promise<ClusterInfo> {
  const maps = client.of(ConfigMap);
  const found = (await maps.find(CLUSTER_INFO.name, { namespace: CLUSTER_INFO.namespace }))?.data?.[KUBECONFIG_KEY];
  const info = readClusterInfo(found ?? (await createClusterInfo(client, config)));
  // A server whose signer is at work writes the same; others have none.
  const data = { [signatureKey(token.id)]: signText(info.kubeconfig, token) };
  const { name, namespace } = CLUSTER_INFO;
  await maps.patch(name, { data }, { namespace, type: 'merge' });
  return info;
}

/** As kubeadm names them: whoever joins reads it before it can show who it is. */
const READER = 'kubeadm:bootstrap-signer-clusterinfo';
const RBAC = 'rbac.authorization.k8s.io';

async function createClusterInfo(
  client: Client,
  { server, certificateAuthority }: Pick<HttpConfig, 'server' | 'certificateAuthority'>,
): Promise<string> {
  if (certificateAuthority === undefined)
    throw new Failure(
      'the kubeconfig does not name the authority of the server, so hosts that join could not check it',
      'Use a kubeconfig with certificate-authority-data.',
    );
  const kubeconfig = clusterInfoKubeconfig(server, certificateAuthority.toString());
  const { namespace, name } = CLUSTER_INFO;
  await client
    .of(ConfigMap)
    .create({ metadata: { namespace, name }, data: { [KUBECONFIG_KEY]: kubeconfig } })
    .catch(async (error: unknown) => {
      // One without a kubeconfig.
      if (!isReason(error, 'AlreadyExists')) throw error;
      await client.of(ConfigMap).patch(name, { data: { [KUBECONFIG_KEY]: kubeconfig } }, { namespace, type: 'merge' });
    });
  const rules = [{ apiGroups: [''], resources: ['configmaps'], resourceNames: [name], verbs: ['get'] }];
  await client
    .of(Role)
    .create({ metadata: { name: READER, namespace }, rules })
    .catch(ignoreAlreadyExists);
  await client
    .of(RoleBinding)
    .create({
      metadata: { name: READER, namespace },
      roleRef: { apiGroup: RBAC, kind: 'Role', name: READER },
      subjects: [{ apiGroup: RBAC, kind: 'User', name: 'system:anonymous' }],
    })
    .catch(ignoreAlreadyExists);
  return kubeconfig;
}
