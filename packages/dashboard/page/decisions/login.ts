/** An identity provider that users may log in with. */
export interface Provider {
  readonly issuer: string;
  readonly name: string;
}

/** How to send a user to a provider, and back. */
export interface ProviderEndpoints {
  readonly clientID: string;
  readonly scopes: readonly string[];
  readonly authorizationEndpoint: string;
  readonly endSessionEndpoint?: string;
}

/** How long before its end a login is renewed, or its end is announced. */
export const WARN_MS = 5 * 60_000;

interface Claims {
  readonly exp?: unknown;
  readonly iat?: unknown;
  readonly nonce?: unknown;
}

/** What a token says about itself; the server decides whether that is true. Undefined: it is no JWT. */
export function claimsOf(token: string): Claims | undefined {
  const [, payload, , ...more] = token.split('.');
  if (!payload || more.length > 0) return undefined;
  try {
    const value: unknown = JSON.parse(atob(payload.replaceAll('-', '+').replaceAll('_', '/')));
    return typeof value === 'object' && value !== null ? value : undefined;
  } catch {
    return undefined;
  }
}

/** When a token ends; undefined: it does not say. */
export function expiryOf(token: string): number | undefined {
  const { exp } = claimsOf(token) ?? {};
  return typeof exp === 'number' ? exp * 1000 : undefined;
}

/** How long before its end a token is due: five minutes, but not half of a short life. */
export function warnBeforeMs(token: string): number {
  const { exp, iat } = claimsOf(token) ?? {};
  if (typeof exp !== 'number' || typeof iat !== 'number') return WARN_MS;
  return Math.min(WARN_MS, ((exp - iat) * 1000) / 3);
}

/** How much is left, in minutes: what changes every second would be read out every second. */
export function remainingWords(ms: number): string {
  if (ms < 60_000) return 'less than a minute';
  const minutes = Math.round(ms / 60_000);
  return minutes === 1 ? '1 minute' : `${minutes} minutes`;
}

/** What a provider is asked with. `state` and `nonce` come back, and show that the answer is to this question. */
export interface AuthorizationRequest {
  readonly state: string;
  readonly nonce: string;
  /** SHA-256 of a secret that the code is exchanged with. */
  readonly challenge: string;
  readonly redirectUri: string;
  /** Whether the provider is to ask again who it is, even of somebody that it knows. */
  readonly isAskedAgain: boolean;
}

export function authorizationUrl(endpoints: ProviderEndpoints, request: AuthorizationRequest): string {
  const url = new URL(endpoints.authorizationEndpoint);
  const parameters = {
    response_type: 'code',
    client_id: endpoints.clientID,
    scope: endpoints.scopes.join(' '),
    redirect_uri: request.redirectUri,
    state: request.state,
    nonce: request.nonce,
    code_challenge: request.challenge,
    code_challenge_method: 'S256',
    ...(request.isAskedAgain && { prompt: 'login' }),
  };
  for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, value);
  return url.href;
}

/** Where the session at the provider is ended; undefined: it cannot be. */
export function endSessionUrl(
  { endSessionEndpoint, clientID }: ProviderEndpoints,
  idToken: string,
  returnTo: string,
): string | undefined {
  if (endSessionEndpoint === undefined) return undefined;
  const url = new URL(endSessionEndpoint);
  url.searchParams.set('id_token_hint', idToken);
  url.searchParams.set('client_id', clientID);
  url.searchParams.set('post_logout_redirect_uri', returnTo);
  return url.href;
}

/** What a provider sends users back with. */
export type Returned =
  | { readonly state: string; readonly code: string }
  | { readonly state: string; readonly problem: string };

/** Undefined: the address is not one that a provider sends to. */
export function returnedIn(path: string, search: string): Returned | undefined {
  if (path !== '/dashboard/login') return undefined;
  const query = new URLSearchParams(search);
  const [state, code, error] = [query.get('state'), query.get('code'), query.get('error')];
  if (state === null) return undefined;
  if (code !== null) return { state, code };
  if (error === null) return undefined;
  const description = query.get('error_description');
  return { state, problem: description ? `${error}: ${description}` : error };
}

/** Who the server takes a request for. */
export interface UserInfo {
  readonly username?: string;
  readonly extra?: Readonly<Record<string, readonly string[] | undefined>>;
}

/** The user that a client certificate of the browser stands for; undefined: the browser has shown none. */
export function certificateUser({ username, extra }: UserInfo): string | undefined {
  const isOfCertificate = extra?.['authentication.kubernetes.io/credential-id']?.[0]?.startsWith('X509SHA256=');
  return isOfCertificate && username !== 'system:anonymous' ? username : undefined;
}
