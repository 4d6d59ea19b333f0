import type { ConfigMap } from '@vireo/api';
import type { Trust } from '../listener/authenticate.ts';
import { FRONT_PROXY_HEADERS } from '../listener/frontProxy.ts';

/** The ConfigMap in which an API server tells aggregated servers whom to trust. */
export const TRUST = { namespace: 'kube-system', name: 'extension-apiserver-authentication' } as const;

/** Reads that ConfigMap; undefined: the server has no front proxy. */
export function trustOf({ data = {} }: Pick<ConfigMap, 'data'>): Trust | undefined {
  const frontProxyCa = data['requestheader-client-ca-file'];
  if (!frontProxyCa) return undefined;
  const clientCa = data['client-ca-file'];
  const listAt = (key: string): string[] | undefined => {
    if (data[key] === undefined) return undefined;
    const list: unknown = JSON.parse(data[key]);
    if (!Array.isArray(list)) throw new TypeError(`${TRUST.name}: ${key} is not a list`);
    return list.filter((name) => typeof name === 'string');
  };
  const headersAt = (key: string, otherwise: readonly string[]): readonly string[] =>
    listAt(key)?.map((name) => name.toLowerCase()) ?? otherwise;
  return {
    frontProxyCa,
    frontProxyNames: listAt('requestheader-allowed-names') ?? [],
    frontProxyHeaders: {
      username: headersAt('requestheader-username-headers', FRONT_PROXY_HEADERS.username),
      uid: headersAt('requestheader-uid-headers', FRONT_PROXY_HEADERS.uid),
      group: headersAt('requestheader-group-headers', FRONT_PROXY_HEADERS.group),
      extraPrefix: headersAt('requestheader-extra-headers-prefix', FRONT_PROXY_HEADERS.extraPrefix),
    },
    ...(clientCa && { clientCa }),
  };
}
