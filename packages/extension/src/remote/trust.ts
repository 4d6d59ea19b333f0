import type { ConfigMap } from '@vireo/api';

/** The ConfigMap in which an API server tells aggregated servers whom to trust. */
export const TRUST = { namespace: 'kube-system', name: 'extension-apiserver-authentication' } as const;

/** The front proxy whose headers name the user. */
export interface FrontProxyTrust {
  /** PEM of the authority that signs the front proxy's certificates. */
  readonly ca: string;
  /** The names that these may have; none: any. */
  readonly names: readonly string[];
}

/** Reads that ConfigMap; undefined: the server has no front proxy. */
export function frontProxyTrust({ data = {} }: Pick<ConfigMap, 'data'>): FrontProxyTrust | undefined {
  const ca = data['requestheader-client-ca-file'];
  if (!ca) return undefined;
  const names: unknown = JSON.parse(data['requestheader-allowed-names'] ?? '[]');
  if (!Array.isArray(names)) throw new TypeError(`${TRUST.name}: requestheader-allowed-names is not a list`);
  return { ca, names: names.filter((name) => typeof name === 'string') };
}
