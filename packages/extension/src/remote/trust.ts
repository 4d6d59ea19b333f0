import type { ConfigMap } from '@vireo/api';

/** Where an API server says whom its aggregated servers are to believe. */
export const TRUST = { namespace: 'kube-system', name: 'extension-apiserver-authentication' } as const;

/** Whose word on users counts. */
export interface FrontProxyTrust {
  /** PEM of who signs the front proxy's certificates. */
  readonly ca: string;
  /** The names that these may have; none: any. */
  readonly names: readonly string[];
}

/** Reads it; undefined: the server has no front proxy. */
export function frontProxyTrust({ data = {} }: Pick<ConfigMap, 'data'>): FrontProxyTrust | undefined {
  const ca = data['requestheader-client-ca-file'];
  if (!ca) return undefined;
  const names: unknown = JSON.parse(data['requestheader-allowed-names'] ?? '[]');
  if (!Array.isArray(names)) throw new TypeError(`${TRUST.name}: requestheader-allowed-names is not a list`);
  return { ca, names: names.filter((name) => typeof name === 'string') };
}
