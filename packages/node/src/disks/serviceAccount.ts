import { ConfigMap, type Pod, type TokenRequest } from '@vireo/api';
import type { Client } from '@vireo/kube';
import type { ReadSecret } from './cloudInit.ts';
import { readNamed } from './readNamed.ts';

/** What the server issues at most; a disc is not written again while its VM runs. */
const TOKEN_SECONDS = 48 * 3600;
const ROOT_CA = 'kube-root-ca.crt';

/** Reads what pods find of their service account: a token, which ends with the launcher, and what it is good for. */
export const serviceAccountReader =
  (kubelet: Client, pod: Pod | undefined): ReadSecret =>
  async (account) => {
    const { name = '', namespace = '', uid = '' } = pod?.metadata ?? {};
    const request: TokenRequest = {
      apiVersion: 'authentication.k8s.io/v1',
      kind: 'TokenRequest',
      metadata: {},
      spec: {
        audiences: [],
        expirationSeconds: TOKEN_SECONDS,
        boundObjectRef: { apiVersion: 'v1', kind: 'Pod', name, uid },
      },
    };
    const path = `/api/v1/namespaces/${namespace}/serviceaccounts/${encodeURIComponent(account)}/token`;
    const [issued, trusted] = await Promise.all([
      readNamed(() => kubelet.call({ method: 'POST', path, body: request })),
      readNamed(() => kubelet.of(ConfigMap).get(ROOT_CA, { namespace })),
    ]);
    return {
      token: Buffer.from((issued as TokenRequest).status?.token ?? ''),
      namespace: Buffer.from(namespace),
      'ca.crt': Buffer.from(trusted.data?.['ca.crt'] ?? ''),
    };
  };
