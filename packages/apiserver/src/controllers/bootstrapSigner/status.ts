import { deepEqual } from '@vireo/api/json.ts';
import { isSignatureKey, KUBECONFIG_KEY, signatureKey, signText } from '@vireo/kube/joining/clusterInfo.ts';
import { bootstrapTokenEndsAt, tokenText } from '../../auth/bootstrapTokens.ts';
import type { TokenSecret } from '../../auth/lookup.ts';

type Data = Readonly<Record<string, string>>;

/** What `cluster-info` is to say; undefined where it does. */
export function signedData(
  current: Data,
  kubeconfig: string,
  secrets: readonly TokenSecret[],
  nowMs: number,
): Record<string, string> | undefined {
  const others = Object.entries(current).filter(([key]) => !isSignatureKey(key));
  const signatures = secrets
    .filter((secret) => isForSigning(secret, nowMs))
    .map((secret) => {
      const id = tokenText(secret, 'token-id');
      return [signatureKey(id), signText(kubeconfig, { id, secret: tokenText(secret, 'token-secret') })] as const;
    });
  const data = { ...Object.fromEntries(others), [KUBECONFIG_KEY]: kubeconfig, ...Object.fromEntries(signatures) };
  return deepEqual(data, current) ? undefined : data;
}

const isForSigning = (secret: TokenSecret, nowMs: number): boolean =>
  tokenText(secret, 'usage-bootstrap-signing') === 'true' &&
  secret.metadata.name === `bootstrap-token-${tokenText(secret, 'token-id')}` &&
  tokenText(secret, 'token-secret') !== '' &&
  bootstrapTokenEndsAt(secret) > nowMs;
