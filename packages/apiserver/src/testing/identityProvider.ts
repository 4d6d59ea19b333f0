import { generateKeyPairSync, type KeyObject } from 'node:crypto';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { issueCertificate } from '@vireo/kube/serving/certificate.ts';
import { exportJWK, type JWTPayload, SignJWT } from 'jose';
import { LoginPages } from './loginPages.ts';

/** An identity provider of the tests' own: real TLS with an authority that no system knows. */
export interface IdentityProvider {
  readonly issuer: string;
  readonly caPem: string;
  /** Its pages for people, who are let in as `ada`. */
  readonly pages: LoginPages;
  /** For how long the tokens are valid that people get; an hour unless set. */
  tokenSeconds: number;
  /** How often its keys were asked for. */
  readonly keyRequests: () => number;
  /** A token as it issues them, for an hour; claims replace those of the same name. */
  token(claims: JWTPayload, options?: { key?: KeyObject; alg?: string; kid?: string }): Promise<string>;
  /** From now on it signs with another key, and publishes that alone. */
  rotate(): void;
  /** What discovery says is broken, or whole again. */
  setBroken(isBroken: boolean): void;
  close(): Promise<void>;
}

const HOUR_SECONDS = 3600;
const newKey = (): KeyObject => generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey;

export interface IdentityProviderOptions {
  /** Of the client `vireo`; missing: it is a public one. */
  readonly clientSecret?: string;
}

export async function startIdentityProvider({ clientSecret }: IdentityProviderOptions = {}): Promise<IdentityProvider> {
  const pages = new LoginPages({ id: 'vireo', ...(clientSecret !== undefined && { secret: clientSecret }) });
  const [caKey, serverKey] = [newKey(), newKey()];
  const validity = { notBefore: new Date(Date.now() - 60_000), notAfter: new Date(Date.now() + 3_600_000) };
  const caPem = issueCertificate({ commonName: 'idp-ca', use: 'ca', ...validity }, caKey);
  const subjectAltNames = { dnsNames: ['localhost'], ipAddresses: [] };
  const cert = issueCertificate({ commonName: 'idp', use: 'server', subjectAltNames, ...validity }, serverKey, {
    certPem: caPem,
    key: caKey,
  });
  let [generation, signingKey, keyRequests, isBroken] = [1, newKey(), 0, false];
  const server = createServer(
    { cert, key: serverKey.export({ type: 'pkcs8', format: 'pem' }) },
    (request, response) => {
      const { pathname, searchParams } = new URL(request.url ?? '/', issuer);
      const moved = PAGES[pathname]?.(pages, searchParams);
      if (moved !== undefined) {
        response.writeHead(302, { location: moved }).end();
        return;
      }
      const answer = async (): Promise<object | undefined> => {
        if (pathname === '/.well-known/openid-configuration')
          return isBroken ? undefined : { issuer, jwks_uri: `${issuer}/keys`, ...endpointsOf(issuer) };
        if (pathname === '/token') {
          const fields = new URLSearchParams(Buffer.concat(await request.toArray()).toString());
          const made = pages.token({ fields, authorization: request.headers.authorization });
          if (typeof made === 'string') return { error: made, status: 400 };
          const { refreshToken, ...claims } = made;
          const exp = Math.floor(Date.now() / 1000) + provider.tokenSeconds;
          const idToken = await provider.token({ groups: ['developers'], ...claims, exp });
          return { access_token: 'opaque', token_type: 'Bearer', id_token: idToken, refresh_token: refreshToken };
        }
        if (pathname !== '/keys') return undefined;
        keyRequests++;
        const jwk = await exportJWK(signingKey);
        return {
          keys: [{ kty: jwk.kty, crv: jwk.crv, x: jwk.x, y: jwk.y, kid: `k${generation}`, alg: 'ES256', use: 'sig' }],
        };
      };
      answer().then((body) => {
        const status = body && 'status' in body ? Number(body.status) : 200;
        response.writeHead(body ? status : 500, { 'content-type': 'application/json' });
        response.end(JSON.stringify(body ?? {}));
      });
    },
  );
  await new Promise<void>((resolve) => server.listen(0, 'localhost', resolve));
  const issuer = `https://localhost:${(server.address() as AddressInfo).port}`;
  const provider: IdentityProvider = {
    issuer,
    caPem,
    pages,
    tokenSeconds: HOUR_SECONDS,
    keyRequests: () => keyRequests,
    token: (claims, { key = signingKey, alg = 'ES256', kid = `k${generation}` } = {}) => {
      const now = Math.floor(Date.now() / 1000);
      const all = { iss: issuer, aud: 'vireo', sub: 'ada', iat: now, exp: now + HOUR_SECONDS, ...claims };
      return new SignJWT(all).setProtectedHeader({ alg, kid }).sign(key);
    },
    rotate: () => {
      generation++;
      signingKey = newKey();
    },
    setBroken: (value) => {
      isBroken = value;
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
  return provider;
}

/** Where browsers are sent on by which page. */
const PAGES: Readonly<Record<string, (pages: LoginPages, query: URLSearchParams) => string>> = {
  '/authorize': (pages, query) => pages.authorize(query),
  '/logout': (pages, query) => pages.endSession(query),
};

const endpointsOf = (issuer: string): object => ({
  authorization_endpoint: `${issuer}/authorize`,
  token_endpoint: `${issuer}/token`,
  end_session_endpoint: `${issuer}/logout`,
});
