import { hash, timingSafeEqual, X509Certificate } from 'node:crypto';
import type { PeerCertificate } from 'node:tls';
import { unauthorized } from '@vireo/api';
import { ANONYMOUS, type HeaderValues, headerValues, prefixedHeaderValues, type UserInfo } from '@vireo/kube';
import { BACKDATE_MS } from '../certificates/issue.ts';
import { bootstrapUser } from './bootstrapTokens.ts';
import { isOfDeletedNode } from './deletedNodes.ts';
import type { Lookup } from './lookup.ts';
import type { ProviderOutcome, Providers } from './oidc/providers.ts';
import type { StaticToken } from './staticTokens.ts';
import { TokenRefused, type Tokens } from './tokens.ts';
import { websocketToken } from './websocketToken.ts';

/** What a request shows of who sent it. */
export interface Credentials {
  readonly peerCertificate?: PeerCertificate | undefined;
  /** Whether the TLS layer could verify the certificate (`socket.authorized`). */
  readonly tlsAuthorized: boolean;
  readonly authorization?: string | undefined;
  readonly headers: HeaderValues;
}

export interface AuthenticatorOptions {
  /** Signs users' client certificates. */
  readonly caPem: string;
  /** Signs certificates that may speak for others. Absent: X-Remote-* headers are ignored. */
  readonly frontProxyCaPem?: string;
  readonly tokens: Tokens;
  readonly staticTokens?: readonly StaticToken[];
  /** Identity providers, whose tokens are for people. Absent: there are none. */
  readonly providers?: Pick<Providers, 'authenticate'>;
  /** Where bootstrap tokens are kept, and which nodes were deleted. Absent: there are none. */
  readonly lookup?: Pick<Lookup, 'secret' | 'configMap'>;
  /** Milliseconds; tests move it. */
  readonly now?: () => number;
}

export interface Authenticator {
  /** Who asks. Throws 401 for credentials that are wrong; none at all are `system:anonymous`. */
  authenticate(credentials: Credentials): Promise<UserInfo>;
  /** Whose bearer token it is. For TokenReviews. */
  authenticateToken(token: string, audiences?: readonly string[]): TokenOutcome | Promise<TokenOutcome>;
}

export type TokenOutcome =
  | { readonly authenticated: true; readonly user: UserInfo; readonly audiences: readonly string[] }
  | { readonly authenticated: false; readonly problem: string };

export const AUTHENTICATED_GROUP = 'system:authenticated';

/**
 * @example
 * const authenticator = createAuthenticator({ caPem: pki.ca.certPem, frontProxyCaPem: pki.frontProxyCa.certPem, tokens });
 * const user = await authenticator.authenticate({
 *   peerCertificate: socket.getPeerCertificate(), tlsAuthorized: socket.authorized,
 *   authorization: request.headers.authorization, headers: headersFromRaw(request.rawHeaders),
 * });
 */
export function createAuthenticator(options: AuthenticatorOptions): Authenticator {
  const { tokens, now = Date.now } = options;
  const readCertificate = certificateReader(options);
  const staticTokens = (options.staticTokens ?? []).map(({ token, user }) => ({ digest: hashOf(token), user }));

  /** For tokens that say nothing of audiences: they are for this server. */
  function forThisServer(user: UserInfo, audiences: readonly string[] = tokens.audiences): TokenOutcome {
    const shared = audiences.filter((audience) => tokens.audiences.includes(audience));
    return shared.length > 0
      ? { authenticated: true, user, audiences: shared }
      : { authenticated: false, problem: 'the token is not for the target audiences' };
  }

  function authenticateToken(token: string, audiences?: readonly string[]): TokenOutcome | Promise<TokenOutcome> {
    const digest = hashOf(token);
    // Every entry is compared, in constant time, so that nobody can guess a token piece by piece.
    const known = staticTokens.filter((entry) => timingSafeEqual(entry.digest, digest))[0];
    if (known) return forThisServer(known.user, audiences);
    const joining = options.lookup && bootstrapUser(token, options.lookup, now());
    if (joining !== undefined)
      return typeof joining === 'string'
        ? { authenticated: false, problem: joining }
        : forThisServer(joining, audiences);
    const vouched = options.providers?.authenticate(token);
    if (vouched instanceof Promise) return vouched.then((outcome) => ofProvider(outcome, audiences));
    if (vouched) return ofProvider(vouched, audiences);
    try {
      return { authenticated: true, ...tokens.verify(token, audiences) };
    } catch (error) {
      if (error instanceof TokenRefused) return { authenticated: false, problem: error.message };
      throw error;
    }
  }

  /** A person's token is for this server by its audience at the provider, which the provider has checked. */
  const ofProvider = (outcome: ProviderOutcome, audiences?: readonly string[]): TokenOutcome =>
    'problem' in outcome
      ? { authenticated: false, problem: outcome.problem }
      : forThisServer(outcome.vouched.user, audiences);

  const isRevoked = ({ user, issuedAtMs }: UserCertificate): boolean =>
    options.lookup !== undefined && isOfDeletedNode(user.username, issuedAtMs, options.lookup);

  return {
    authenticateToken,
    async authenticate({ peerCertificate, tlsAuthorized, authorization, headers }) {
      const certificate = peerCertificate?.raw ? readCertificate(peerCertificate, tlsAuthorized) : undefined;
      const isCurrent = certificate !== undefined && certificate.notAfterMs > now();
      if (isCurrent && certificate.signer === 'front-proxy') {
        const user = remoteUser(headers);
        if (user) return user;
      }
      if (isCurrent && certificate.signer === 'ca' && !isRevoked(certificate)) return certificate.user;
      const token = bearerToken(authorization) ?? websocketToken(headers);
      if (token !== undefined) {
        const outcome = await authenticateToken(token);
        if (outcome.authenticated) return outcome.user;
        throw unauthorized();
      }
      // Whoever shows a certificate wants to be somebody: telling them "anonymous may not" would hide the cause.
      if (certificate) throw unauthorized();
      return ANONYMOUS;
    },
  };
}

interface UserCertificate {
  readonly signer: 'ca';
  readonly user: UserInfo;
  readonly issuedAtMs: number;
}

type Certificate = { readonly notAfterMs: number } & (UserCertificate | { readonly signer: 'front-proxy' | 'unknown' });

const CACHED_CERTIFICATES = 256;

/** Says who signed a client certificate and whom it names; remembers the response by fingerprint. */
function certificateReader(options: AuthenticatorOptions) {
  const caKey = new X509Certificate(options.caPem).publicKey;
  const frontProxyKey = options.frontProxyCaPem ? new X509Certificate(options.frontProxyCaPem).publicKey : undefined;
  const known = new Map<string, Certificate>();

  const read = (peer: PeerCertificate): Certificate => {
    const certificate = new X509Certificate(peer.raw);
    const notAfterMs = certificate.validToDate.getTime();
    if (frontProxyKey && certificate.verify(frontProxyKey)) return { signer: 'front-proxy', notAfterMs };
    const username = lastOf(peer.subject?.CN);
    if (!username || !certificate.verify(caKey)) return { signer: 'unknown', notAfterMs };
    const groups = [...listOf(peer.subject.O), AUTHENTICATED_GROUP];
    const fingerprint = `X509SHA256=${certificate.fingerprint256.replaceAll(':', '').toLowerCase()}`;
    const extra = { 'authentication.kubernetes.io/credential-id': [fingerprint] };
    const issuedAtMs = certificate.validFromDate.getTime() + BACKDATE_MS;
    return { signer: 'ca', notAfterMs, issuedAtMs, user: { username, groups: [...new Set(groups)], extra } };
  };

  return (peer: PeerCertificate, tlsAuthorized: boolean): Certificate => {
    if (!tlsAuthorized) return { signer: 'unknown', notAfterMs: 0 };
    const key = hashOf(peer.raw).toString('base64');
    const certificate = known.get(key) ?? read(peer);
    if (known.size >= CACHED_CERTIFICATES) known.clear();
    known.set(key, certificate);
    return certificate;
  };
}

const listOf = (value: string | readonly string[] | undefined): readonly string[] =>
  value === undefined ? [] : typeof value === 'string' ? [value] : value;

const lastOf = (value: string | readonly string[] | undefined): string | undefined => listOf(value).at(-1);

const hashOf = (value: string | Buffer): Buffer => hash('sha256', value, 'buffer');

/** Whom a trusted proxy speaks for. */
function remoteUser(headers: HeaderValues): UserInfo | undefined {
  const username = headerValues(headers, 'x-remote-user')[0];
  if (!username) return undefined;
  const uid = headerValues(headers, 'x-remote-uid')[0];
  const extra = prefixedHeaderValues(headers, 'x-remote-extra-');
  const groups = headerValues(headers, 'x-remote-group').filter((group) => group !== '');
  const isAnonymous = username === ANONYMOUS.username || groups.includes('system:unauthenticated');
  return {
    username,
    ...(uid && { uid }),
    groups: isAnonymous || groups.includes(AUTHENTICATED_GROUP) ? groups : [...groups, AUTHENTICATED_GROUP],
    ...(Object.keys(extra).length > 0 && { extra }),
  };
}

/** The token of `Authorization: Bearer …`; other schemes are none of ours. */
function bearerToken(authorization: string | undefined): string | undefined {
  const [scheme = '', token = ''] = (authorization ?? '').trim().split(/ +/);
  return scheme.toLowerCase() === 'bearer' && token !== '' ? token : undefined;
}
