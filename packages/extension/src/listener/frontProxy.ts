import { unauthorized } from '@vireo/api';
import { type HeaderValues, headerValues, prefixedHeaderValues, type UserInfo } from '@vireo/kube';
import { nameOf, type Peer, type SignedBy } from './peer.ts';

/** The headers in which a front proxy names the user, in lower case; of several the first that is there counts. */
export interface FrontProxyHeaders {
  readonly username: readonly string[];
  readonly uid: readonly string[];
  readonly group: readonly string[];
  readonly extraPrefix: readonly string[];
}

/** What Kubernetes calls them unless it is told otherwise. */
export const FRONT_PROXY_HEADERS: FrontProxyHeaders = {
  username: ['x-remote-user'],
  uid: ['x-remote-uid'],
  group: ['x-remote-group'],
  extraPrefix: ['x-remote-extra-'],
};

/**
 * The user that a front proxy names in its headers.
 *
 * @example
 * remoteUser({ 'x-remote-user': ['jane'], 'x-remote-group': ['dev', 'ops'] }) // { username: 'jane', groups: ['dev', 'ops'] }
 */
export function remoteUser(received: HeaderValues, names: FrontProxyHeaders = FRONT_PROXY_HEADERS): UserInfo {
  const valuesOf = (headers: readonly string[]): readonly string[] =>
    headers.map((name) => headerValues(received, name)).find(({ length }) => length > 0) ?? [];
  const [username] = valuesOf(names.username).map(decoded);
  if (!username) throw unauthorized(`the request does not name a user; ${shown(names.username[0] ?? '')} is missing`);
  const [uid] = valuesOf(names.uid).map(decoded);
  const extra = Object.entries(
    Object.assign({}, ...names.extraPrefix.map((prefix) => prefixedHeaderValues(received, prefix))) as object,
  ).map(([key, values]) => [key, (values as string[]).map(decoded)]);
  return {
    username,
    ...(uid && { uid }),
    groups: names.group.flatMap((name) => headerValues(received, name)).map(decoded),
    ...(extra.length > 0 && { extra: Object.fromEntries(extra) }),
  };
}

/** Proxies send the bytes of UTF-8, which Node takes for the characters of Latin-1. */
const decoded = (value: string): string => Buffer.from(value, 'latin1').toString();

/** `x-remote-user` as people write it. */
const shown = (name: string): string => name.replace(/(^|-)[a-z]/g, (letter) => letter.toUpperCase());

/**
 * Refuses whoever is not the front proxy: what it says of users is believed. `names`: the names that its certificate
 * may have; none: any that its authority has signed.
 */
export function requireFrontProxy(peer: Peer, isOfFrontProxy: SignedBy, names: readonly string[]): void {
  const certificate = peer.getPeerCertificate();
  if (!certificate?.raw)
    throw unauthorized("the client presents no certificate; send requests through the cluster's API server");
  if (!peer.authorized || !isOfFrontProxy(certificate.raw))
    throw unauthorized("the client's certificate is not signed by the front-proxy CA, or is not valid now");
  const name = nameOf(certificate);
  if (names.length > 0 && (name === undefined || !names.includes(name)))
    throw unauthorized(
      `the client's certificate is for ${JSON.stringify(name ?? '')}, which is not allowed to act for other users`,
    );
}
