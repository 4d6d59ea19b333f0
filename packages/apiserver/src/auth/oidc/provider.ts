import type { UserInfo } from '@vireo/kube';
import type { JWTVerifyGetKey } from 'jose';
import type { JwtConfiguration } from './config.ts';
import { providerFetch } from './fetch.ts';
import { userMapping } from './mapping.ts';

/** As Kubernetes allows them: signatures with keys that the provider publishes, and nothing else. */
const ALGORITHMS = ['RS256', 'RS384', 'RS512', 'ES256', 'ES384', 'ES512', 'PS256', 'PS384', 'PS512'];
/** A provider that does not answer is asked again after this. */
const RETRY_MS = 10_000;
/** How far the provider's clock may be ahead. */
const NOT_BEFORE_LEEWAY_SECONDS = 300;

/** A user whom a provider vouches for, and until when (seconds since 1970). */
export interface Vouched {
  readonly user: UserInfo;
  readonly expiresAt: number;
}

/** One identity provider: its keys, its rules. */
export interface Provider {
  readonly issuer: string;
  /** Audiences of this server at the provider. */
  readonly audiences: readonly string[];
  /** Throws an Error with the reason if the token is invalid. */
  verify(token: string): Promise<Vouched>;
  close(): void;
}

/** A provider that reads its keys when the first token arrives. */
export function createProvider(configuration: JwtConfiguration, now: () => number = Date.now): Provider {
  const { url, discoveryURL, certificateAuthority, audiences } = configuration.issuer;
  const fetch = providerFetch(certificateAuthority);
  const userOf = userMapping(configuration);
  let keys: Promise<JWTVerifyGetKey> | undefined;
  let retryAt = Number.POSITIVE_INFINITY;

  /** The provider's keys: its discovery document is read once, its keys again when a token has an unknown one. */
  function keysOf(): Promise<JWTVerifyGetKey> {
    if (keys && now() < retryAt) return keys;
    retryAt = Number.POSITIVE_INFINITY;
    keys = discover();
    keys.catch(() => {
      retryAt = now() + RETRY_MS;
    });
    return keys;
  }

  async function discover(): Promise<JWTVerifyGetKey> {
    const address = discoveryURL ?? `${url.replace(/\/$/, '')}/.well-known/openid-configuration`;
    const { status, text } = await fetch(address);
    if (status !== 200) throw new Error(`GET ${address}: status ${status}`);
    const { issuer, jwks_uri } = parseDocument(text, address);
    if (issuer !== url)
      throw new Error(
        `issuer URL provided to client (${JSON.stringify(url)}) did not match the issuer URL returned by provider (${JSON.stringify(issuer)})`,
      );
    if (typeof jwks_uri !== 'string') throw new Error(`GET ${address}: jwks_uri is missing`);
    const { createRemoteJWKSet, customFetch } = await import('jose');
    return createRemoteJWKSet(new URL(jwks_uri), {
      [customFetch]: async (target: string) => {
        const response = await fetch(target);
        return new Response(response.text, {
          status: response.status,
          headers: { 'content-type': 'application/json' },
        });
      },
    });
  }

  return {
    issuer: url,
    audiences,
    async verify(token) {
      const getKey = await keysOf();
      const { jwtVerify } = await import('jose');
      const { payload } = await jwtVerify(token, getKey, {
        issuer: url,
        audience: [...audiences],
        algorithms: ALGORITHMS,
        currentDate: new Date(now()),
        clockTolerance: NOT_BEFORE_LEEWAY_SECONDS,
        requiredClaims: ['exp'],
      });
      // The tolerance applies to `nbf` only.
      const { exp: expiresAt = 0 } = payload;
      if (expiresAt * 1000 <= now()) throw new Error('token is expired');
      return { user: userOf(payload), expiresAt };
    },
    close: () => fetch.close(),
  };
}

function parseDocument(text: string, address: string): Record<string, unknown> {
  try {
    return JSON.parse(text) as Record<string, unknown>;
  } catch (cause) {
    throw new Error(`GET ${address}: the response is not JSON`, { cause });
  }
}
