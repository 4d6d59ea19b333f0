import { createPrivateKey, createPublicKey, hash, randomUUID } from 'node:crypto';
import type { UserInfo } from '@vireo/kube';
import { checkBoundObjects } from './bound.ts';
import {
  type BoundObject,
  boundClaims,
  legacyClaims,
  parseClaims,
  type ServiceAccountRef,
  type TokenClaims,
} from './claims.ts';
import { keyId, signJwt, verifyJwt } from './jwt.ts';
import type { Lookup } from './lookup.ts';
import { serviceAccountGroups, serviceAccountUsername } from './serviceAccount.ts';

export interface TokenOptions {
  readonly privateKeyPem: string;
  /** The server as tokens name it, such as `https://kubernetes.default.svc.cluster.local`. */
  readonly issuer: string;
  /** Who tokens are for when nobody says; tokens for others are not taken here. Default: the issuer. */
  readonly audiences?: readonly string[];
  readonly lookup: Lookup;
  /** Milliseconds; tests move it. */
  readonly now?: () => number;
}

export interface IssueRequest {
  readonly serviceAccount: ServiceAccountRef;
  readonly audiences?: readonly string[];
  readonly expirationSeconds: number;
  readonly boundObject?: BoundObject;
}

export interface IssuedToken {
  readonly token: string;
  readonly expiresAt: Date;
}

export interface VerifiedToken {
  readonly user: UserInfo;
  /** The audiences that the token and the verifier share; empty for legacy tokens. */
  readonly audiences: readonly string[];
}

/** A token that is refused, and why. The reason is for logs and TokenReviews; callers without one see `Unauthorized`. */
export class TokenRefused extends Error {
  override readonly name = 'TokenRefused';
}

/** Issues and checks the JWTs of ServiceAccounts. */
export interface Tokens {
  readonly issuer: string;
  readonly audiences: readonly string[];
  issue(request: IssueRequest): IssuedToken;
  /** The token of a `kubernetes.io/service-account-token` Secret: without expiry, good while the Secret holds it. */
  issueLegacy(serviceAccount: ServiceAccountRef, secretName: string): string;
  /** Whose token it is. Throws TokenRefused. `audiences`: one of them must be the token's; default: the server's own. */
  verify(token: string, audiences?: readonly string[]): VerifiedToken;
  jwks(): Record<string, unknown>;
  openIdConfiguration(): Record<string, unknown>;
}

const CACHED_SIGNATURES = 1024;

/**
 * @example
 * const tokens = createTokens({ privateKeyPem: pki.serviceAccount.privateKeyPem, issuer, lookup });
 * const { token } = tokens.issue({ serviceAccount: { namespace, name, uid }, expirationSeconds: 3600 });
 * tokens.verify(token).user.username; // system:serviceaccount:default:builder
 */
export function createTokens(options: TokenOptions): Tokens {
  const privateKey = createPrivateKey(options.privateKeyPem);
  const publicKey = createPublicKey(privateKey);
  const { issuer, lookup, audiences: ownAudiences = [issuer], now = Date.now } = options;
  const genuine = new Map<string, TokenClaims>();

  /** Only the signature is remembered, which never changes; times and objects are looked at anew each time. */
  function claimsOf(token: string): TokenClaims {
    const digest = hash('sha256', token, 'base64');
    const known = genuine.get(digest);
    if (known) return known;
    const raw = verifyJwt(token, publicKey);
    if (!raw) throw new TokenRefused('the token was not signed by this server');
    const claims = parseClaims(raw, issuer);
    if (typeof claims === 'string') throw new TokenRefused(claims);
    if (genuine.size >= CACHED_SIGNATURES) genuine.clear();
    genuine.set(digest, claims);
    return claims;
  }

  return {
    issuer,
    audiences: ownAudiences,
    issue(request) {
      const issuedAt = Math.floor(now() / 1000);
      const claims = boundClaims({
        ...request,
        issuer,
        audiences: request.audiences?.length ? request.audiences : ownAudiences,
        issuedAt,
        id: randomUUID(),
      });
      return {
        token: signJwt(claims, privateKey),
        expiresAt: new Date((issuedAt + request.expirationSeconds) * 1000),
      };
    },
    issueLegacy: (serviceAccount, secretName) => signJwt(legacyClaims(serviceAccount, secretName), privateKey),
    verify(token, wanted = ownAudiences) {
      const claims = claimsOf(token);
      const nowSeconds = now() / 1000;
      if (claims.expiresAt !== undefined && nowSeconds >= claims.expiresAt)
        throw new TokenRefused('the token has expired');
      if (claims.notBefore !== undefined && nowSeconds < claims.notBefore)
        throw new TokenRefused('the token is not valid yet');
      // A legacy token names no audience: it is for this server.
      const offered = claims.audiences ?? ownAudiences;
      const shared = wanted.filter((audience) => offered.includes(audience));
      if (shared.length === 0)
        throw new TokenRefused(
          `token audiences ${JSON.stringify(offered)} is invalid for the target audiences ${JSON.stringify(wanted)}`,
        );
      const problem = checkBoundObjects(claims, token, lookup, now());
      if (problem) throw new TokenRefused(problem);
      return { user: userOf(claims), audiences: shared };
    },
    jwks: () => ({
      keys: [{ ...publicKey.export({ format: 'jwk' }), use: 'sig', alg: 'ES256', kid: keyId(publicKey) }],
    }),
    openIdConfiguration: () => ({
      issuer,
      jwks_uri: `${issuer.replace(/\/$/, '')}/openid/v1/jwks`,
      response_types_supported: ['id_token'],
      subject_types_supported: ['public'],
      id_token_signing_alg_values_supported: ['ES256'],
    }),
  };
}

function userOf({ serviceAccount, pod, node, id }: TokenClaims): UserInfo {
  const extra = {
    ...(id && { 'authentication.kubernetes.io/credential-id': [`JTI=${id}`] }),
    ...(node && {
      'authentication.kubernetes.io/node-name': [node.name],
      ...(node.uid && { 'authentication.kubernetes.io/node-uid': [node.uid] }),
    }),
    ...(pod && {
      'authentication.kubernetes.io/pod-name': [pod.name],
      'authentication.kubernetes.io/pod-uid': [pod.uid],
    }),
  };
  return {
    username: serviceAccountUsername(serviceAccount.namespace, serviceAccount.name),
    uid: serviceAccount.uid,
    groups: [...serviceAccountGroups(serviceAccount.namespace), 'system:authenticated'],
    ...(Object.keys(extra).length > 0 && { extra }),
  };
}
