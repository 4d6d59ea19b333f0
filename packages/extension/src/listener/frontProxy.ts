import type { TLSSocket } from 'node:tls';
import { ApiError, unauthorized } from '@vireo/api';
import { type HeaderValues, headerValues, prefixedHeaderValues, type UserInfo } from '@vireo/kube';

/**
 * The user that a front proxy names in its headers.
 *
 * @example
 * remoteUser({ 'x-remote-user': ['jane'], 'x-remote-group': ['dev', 'ops'] }) // { username: 'jane', groups: ['dev', 'ops'] }
 */
export function remoteUser(received: HeaderValues): UserInfo {
  const headers = decoded(received);
  const [username] = headerValues(headers, 'x-remote-user');
  if (!username) throw new ApiError('Unauthorized', 'the request does not name a user; X-Remote-User is missing');
  const [uid] = headerValues(headers, 'x-remote-uid');
  const extra = prefixedHeaderValues(headers, 'x-remote-extra-');
  return {
    username,
    ...(uid && { uid }),
    groups: headerValues(headers, 'x-remote-group'),
    ...(Object.keys(extra).length > 0 && { extra }),
  };
}

/** Proxies send the bytes of UTF-8, which Node takes for the characters of Latin-1. */
function decoded(headers: HeaderValues): HeaderValues {
  const named = Object.keys(headers).filter((name) => name.startsWith('x-remote-'));
  return Object.fromEntries(
    named.map((name) => [name, headerValues(headers, name).map((value) => Buffer.from(value, 'latin1').toString())]),
  );
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
