import { unauthorized } from '@vireo/api';
import { bearerTokenOf, type HeaderValues, headerValues, type ReviewToken, type UserInfo } from '@vireo/kube';
import { FRONT_PROXY_HEADERS, type FrontProxyHeaders, remoteUser, requireFrontProxy } from './frontProxy.ts';
import { certificateUser, nameOf, type Peer, signedBy } from './peer.ts';

/** Whose certificates say who somebody is. */
export interface Trust {
  /** PEM of who signs the certificates of the front proxy. */
  readonly frontProxyCa: string;
  /** The names that those certificates may have; none: any. */
  readonly frontProxyNames: readonly string[];
  /** Default: those of Kubernetes. */
  readonly frontProxyHeaders?: FrontProxyHeaders;
  /** PEM of who signs the certificates of users. Missing: users show none. */
  readonly clientCa?: string;
}

/** Finds out who sends a request; throws 401. */
export type Authenticate = (peer: Peer, headers: HeaderValues) => Promise<UserInfo>;

/**
 * Takes the word of the front proxy, and of nobody else: whoever comes directly shows a client certificate, or a token
 * that `reviewToken` asks the cluster about.
 */
export function authenticateBy(trust: Trust, reviewToken?: ReviewToken): Authenticate {
  const { frontProxyNames, frontProxyHeaders = FRONT_PROXY_HEADERS } = trust;
  const isOfFrontProxy = signedBy(trust.frontProxyCa);
  const isOfUser = trust.clientCa ? signedBy(trust.clientCa) : () => false;
  return async (peer, headers) => {
    const certificate = peer.getPeerCertificate();
    // Connections last longer than some certificates.
    const hasExpired = Date.parse(certificate?.valid_to ?? '') <= Date.now();
    const isValid = certificate?.raw !== undefined && peer.authorized && !hasExpired;
    // Where one authority signs for both, the names of front proxies tell them from users.
    const isProxy =
      isValid &&
      isOfFrontProxy(certificate.raw) &&
      (frontProxyNames.length === 0 || frontProxyNames.includes(nameOf(certificate) ?? ''));
    const user = isValid && !isProxy && isOfUser(certificate.raw) ? certificateUser(certificate) : undefined;
    if (user) return user;
    const token = reviewToken && bearerTokenOf(headerValues(headers, 'authorization')[0]);
    if (token && !isProxy) return withToken(await reviewToken(token), token);
    if (reviewToken && !certificate?.raw) throw unauthorized(WITHOUT_CREDENTIALS);
    requireFrontProxy(peer, (raw) => isValid && isOfFrontProxy(raw), frontProxyNames);
    return remoteUser(headers, frontProxyHeaders);
  };
}

const WITHOUT_CREDENTIALS =
  "the request has no token and the client presents no certificate; log in, or use the cluster's API server";

const tokens = new WeakMap<UserInfo, string>();

/** A copy, so that no other request of the same user has the token. */
function withToken(user: UserInfo, token: string): UserInfo {
  const own = { ...user };
  tokens.set(own, token);
  return own;
}

/** The token with which the user of a request has come to the listener, if it was by one: the request itself has none. */
export const tokenOf = (user: UserInfo): string | undefined => tokens.get(user);
