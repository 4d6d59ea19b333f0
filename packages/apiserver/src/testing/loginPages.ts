import { createHash, randomBytes } from 'node:crypto';

/** What a code that the tests' identity provider has given out stands for. */
interface Login {
  readonly nonce: string;
  readonly challenge: string;
  readonly redirectUri: string;
}

export interface TokenRequest {
  readonly fields: URLSearchParams;
  readonly authorization: string | undefined;
}

/** The part of the tests' identity provider that people see: it asks nobody for a password, and lets one user in. */
export class LoginPages {
  readonly #codes = new Map<string, Login>();
  readonly #refreshTokens = new Set<string>();
  readonly #client: { readonly id: string; readonly secret?: string };
  /** What was asked for, as the tests want to see it. */
  readonly authorizations: URLSearchParams[] = [];
  /** The `id_token_hint`s of those who have logged out. */
  readonly logouts: URLSearchParams[] = [];
  /** Whether refresh tokens are given out and accepted. */
  isRefreshing = true;

  constructor(client: { readonly id: string; readonly secret?: string }) {
    this.#client = client;
  }

  /** Where the browser goes next. */
  authorize(query: URLSearchParams): string {
    this.authorizations.push(query);
    const target = new URL(query.get('redirect_uri') ?? '');
    target.searchParams.set('state', query.get('state') ?? '');
    const challenge = query.get('code_challenge') ?? '';
    if (
      query.get('client_id') !== this.#client.id ||
      query.get('code_challenge_method') !== 'S256' ||
      challenge === ''
    ) {
      target.searchParams.set('error', 'invalid_request');
      return target.href;
    }
    const code = randomBytes(16).toString('base64url');
    this.#codes.set(code, {
      nonce: query.get('nonce') ?? '',
      challenge,
      redirectUri: query.get('redirect_uri') ?? '',
    });
    target.searchParams.set('code', code);
    return target.href;
  }

  endSession(query: URLSearchParams): string {
    this.logouts.push(query);
    return query.get('post_logout_redirect_uri') ?? '';
  }

  /** The claims of the ID token, and a refresh token; a text: why not. Codes and refresh tokens count once. */
  token({ fields, authorization }: TokenRequest): { nonce?: string; refreshToken?: string } | string {
    if (!this.#isClient(fields, authorization)) return 'invalid_client';
    if (fields.get('grant_type') === 'refresh_token')
      return this.isRefreshing && this.#refreshTokens.delete(fields.get('refresh_token') ?? '')
        ? this.#withRefresh({})
        : 'invalid_grant';
    const login = this.#codes.get(fields.get('code') ?? '');
    this.#codes.delete(fields.get('code') ?? '');
    const digest = createHash('sha256')
      .update(fields.get('code_verifier') ?? '')
      .digest('base64url');
    return login && login.challenge === digest && login.redirectUri === fields.get('redirect_uri')
      ? this.#withRefresh({ nonce: login.nonce })
      : 'invalid_grant';
  }

  #withRefresh<T extends object>(claims: T): T & { refreshToken?: string } {
    if (!this.isRefreshing) return claims;
    const refreshToken = randomBytes(16).toString('base64url');
    this.#refreshTokens.add(refreshToken);
    return { ...claims, refreshToken };
  }

  #isClient(fields: URLSearchParams, authorization: string | undefined): boolean {
    const { id, secret } = this.#client;
    if (secret === undefined) return fields.get('client_id') === id && authorization === undefined;
    return authorization === `Basic ${Buffer.from(`${id}:${secret}`).toString('base64')}`;
  }
}
