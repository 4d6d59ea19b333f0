import type { TLSSocket } from 'node:tls';
import { ApiError, unauthorized } from '@vireo/api';
import type { UserInfo } from '@vireo/kube';

/** Headers by lower-case name; one that came several times has all its values. */
export type Headers = Readonly<Record<string, readonly string[] | undefined>>;

const EXTRA = 'x-remote-extra-';

/**
 * The user that a front proxy names in its headers.
 *
 * @example
 * remoteUser({ 'x-remote-user': ['jane'], 'x-remote-group': ['dev', 'ops'] }) // { username: 'jane', groups: ['dev', 'ops'] }
 */
export function remoteUser(headers: Headers): UserInfo {
  const [username] = headers['x-remote-user'] ?? [];
  if (!username) throw new ApiError('Unauthorized', 'the request does not name a user; X-Remote-User is missing');
  const extra = Object.entries(headers)
    .filter(([name]) => name.startsWith(EXTRA))
    .map(([name, values]) => [decodeKey(name.slice(EXTRA.length)), [...(values ?? [])]] as const);
  const [uid] = headers['x-remote-uid'] ?? [];
  return {
    username,
    ...(uid && { uid }),
    groups: headers['x-remote-group'] ?? [],
    ...(extra.length > 0 && { extra: Object.fromEntries(extra) }),
  };
}

function decodeKey(key: string): string {
  try {
    return decodeURIComponent(key);
  } catch {
    return key;
  }
}

/** What of a connection says who is at its other end. */
export type Peer = Pick<TLSSocket, 'authorized' | 'getPeerCertificate'>;

/**
 * Refuses whoever is not the front proxy: what it says of users is believed. `names`: the names that its certificate
 * may have; none: any that its authority has signed.
 */
export function requireFrontProxy(peer: Peer, names: readonly string[]): void {
  const certificate = peer.getPeerCertificate();
  if (!certificate?.raw)
    throw unauthorized("the client presents no certificate; send requests through the cluster's API server");
  if (!peer.authorized)
    throw unauthorized("the client's certificate is not signed by the front-proxy CA, or is not valid now");
  const commonName: string | string[] | undefined = certificate.subject?.CN;
  const name = Array.isArray(commonName) ? commonName.at(-1) : commonName;
  if (names.length > 0 && (name === undefined || !names.includes(name)))
    throw unauthorized(
      `the client's certificate is for ${JSON.stringify(name ?? '')}, which is not allowed to act for other users`,
    );
}
