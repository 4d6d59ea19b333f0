import { readFile } from 'node:fs/promises';
import { isObject } from '@vireo/api/json.ts';
import type { JwtConfiguration } from '@vireo/apiserver/auth/oidc/config.ts';
import { providerFetch } from '@vireo/apiserver/auth/oidc/fetch.ts';
import type { LoginProvider } from './config.ts';

/** What the page needs to send a user to an identity provider, and back. */
export interface ProviderEndpoints {
  readonly clientID: string;
  readonly scopes: readonly string[];
  readonly authorizationEndpoint: string;
  /** Where the session at the provider is ended; missing: it cannot be. */
  readonly endSessionEndpoint?: string;
}

/** What a code or a refresh token is exchanged for. */
export interface Granted {
  readonly idToken: string;
  readonly refreshToken?: string;
}

export type Grant =
  | { readonly code: string; readonly codeVerifier: string; readonly redirectUri: string }
  | { readonly refreshToken: string };

/** The provider has said no, or cannot be asked; the message is for the user. */
export class LoginRefused extends Error {
  readonly status: number;
  constructor(status: number, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'LoginRefused';
    this.status = status;
  }
}

interface Discovered extends ProviderEndpoints {
  readonly tokenEndpoint: string;
  /** Whether the secret goes into the form, because the provider takes it nowhere else. */
  readonly isSecretInForm: boolean;
}

const DISCOVERY_MS = 10 * 60_000;

/** The identity providers that users of the dashboard log in with; those whose tokens the server accepts. */
export class LoginProviders {
  readonly #listed: readonly LoginProvider[];
  readonly #accepted: (issuer: string) => JwtConfiguration | undefined;
  readonly #now: () => number;
  readonly #discovered = new Map<string, { readonly of: Promise<Discovered>; readonly untilMs: number }>();

  constructor(
    listed: readonly LoginProvider[],
    accepted: (issuer: string) => JwtConfiguration | undefined,
    now: () => number = Date.now,
  ) {
    this.#listed = listed;
    this.#accepted = accepted;
    this.#now = now;
  }

  list(): { readonly issuer: string; readonly name: string }[] {
    return this.#listed
      .filter(({ issuer }) => this.#accepted(issuer) !== undefined)
      .map(({ issuer, name }) => ({ issuer, name }));
  }

  async endpoints(issuer: string): Promise<ProviderEndpoints> {
    const { clientID, scopes, authorizationEndpoint, endSessionEndpoint } = await this.#discover(issuer);
    return { clientID, scopes, authorizationEndpoint, ...(endSessionEndpoint && { endSessionEndpoint }) };
  }

  /** Adds what the client proves itself with, which the page never sees. */
  async exchange(issuer: string, grant: Grant): Promise<Granted> {
    const { listed, accepted } = this.#find(issuer);
    const { clientID, tokenEndpoint, isSecretInForm } = await this.#discover(issuer);
    const secret = await secretOf(listed);
    const fields = {
      ...grantFields(grant),
      ...((secret === undefined || isSecretInForm) && { client_id: clientID }),
      ...(secret !== undefined && isSecretInForm && { client_secret: secret }),
    };
    const authorization = secret !== undefined && !isSecretInForm ? { authorization: basic(clientID, secret) } : {};
    const fetch = providerFetch(accepted.issuer.certificateAuthority);
    try {
      const { status, text } = await fetch(tokenEndpoint, { fields, ...authorization }).catch(unreachable(listed));
      return granted(status, text, listed);
    } finally {
      fetch.close();
    }
  }

  #find(issuer: string): { listed: LoginProvider; accepted: JwtConfiguration } {
    const listed = this.#listed.find((each) => each.issuer === issuer);
    const accepted = listed && this.#accepted(issuer);
    if (!accepted) throw new LoginRefused(404, 'This server does not use that identity provider.');
    return { listed, accepted };
  }

  #discover(issuer: string): Promise<Discovered> {
    const { listed, accepted } = this.#find(issuer);
    const known = this.#discovered.get(issuer);
    if (known && known.untilMs > this.#now()) return known.of;
    const of = discover(listed, accepted);
    this.#discovered.set(issuer, { of, untilMs: this.#now() + DISCOVERY_MS });
    of.catch(() => this.#discovered.delete(issuer));
    return of;
  }
}

async function discover(listed: LoginProvider, { issuer }: JwtConfiguration): Promise<Discovered> {
  const address = issuer.discoveryURL ?? `${issuer.url.replace(/\/$/, '')}/.well-known/openid-configuration`;
  const fetch = providerFetch(issuer.certificateAuthority);
  try {
    const { status, text } = await fetch(address).catch(unreachable(listed));
    const document = objectIn(text);
    if (status !== 200 || document?.issuer !== issuer.url)
      throw new LoginRefused(502, `${listed.name} does not describe itself at ${address} (HTTP ${status}).`);
    const endpoint = (name: string): string | undefined => {
      const value = document[name];
      return typeof value === 'string' && value.startsWith('https://') ? value : undefined;
    };
    const [authorizationEndpoint, tokenEndpoint] = [endpoint('authorization_endpoint'), endpoint('token_endpoint')];
    if (!authorizationEndpoint || !tokenEndpoint)
      throw new LoginRefused(
        502,
        `${listed.name} does not name an authorization_endpoint and a token_endpoint with https.`,
      );
    const endSessionEndpoint = endpoint('end_session_endpoint');
    // As OpenID Connect Discovery says, what is not listed is client_secret_basic.
    const methods = document.token_endpoint_auth_methods_supported;
    return {
      clientID: listed.clientID ?? issuer.audiences[0] ?? '',
      scopes: listed.scopes,
      authorizationEndpoint,
      tokenEndpoint,
      ...(endSessionEndpoint && { endSessionEndpoint }),
      isSecretInForm: Array.isArray(methods) && !methods.includes('client_secret_basic'),
    };
  } finally {
    fetch.close();
  }
}

const grantFields = (grant: Grant): Record<string, string> =>
  'code' in grant
    ? {
        grant_type: 'authorization_code',
        code: grant.code,
        code_verifier: grant.codeVerifier,
        redirect_uri: grant.redirectUri,
      }
    : { grant_type: 'refresh_token', refresh_token: grant.refreshToken };

/** RFC 6749 wants both encoded as in a form before they are joined. */
function basic(id: string, secret: string): string {
  const encoded = (text: string): string => new URLSearchParams({ '': text }).toString().slice(1);
  return `Basic ${Buffer.from(`${encoded(id)}:${encoded(secret)}`).toString('base64')}`;
}

async function secretOf({ clientSecretFile, name }: LoginProvider): Promise<string | undefined> {
  if (clientSecretFile === undefined) return undefined;
  try {
    return (await readFile(clientSecretFile, 'utf8')).trim();
  } catch (cause) {
    throw new LoginRefused(500, `The server cannot read its secret for ${name}; its log says why.`, { cause });
  }
}

function granted(status: number, text: string, { name }: LoginProvider): Granted {
  const answer = objectIn(text) ?? {};
  if (status !== 200) {
    const why = [answer.error, answer.error_description].filter((each) => typeof each === 'string').join(': ');
    throw new LoginRefused(400, `${name} refuses the login: ${why || `HTTP ${status}`}`);
  }
  const { id_token: idToken, refresh_token: refreshToken } = answer;
  if (typeof idToken !== 'string') throw new LoginRefused(502, `${name} has sent no ID token.`);
  return { idToken, ...(typeof refreshToken === 'string' && { refreshToken }) };
}

const unreachable =
  ({ name }: LoginProvider) =>
  (cause: unknown): never => {
    throw new LoginRefused(502, `${name} cannot be reached; the server's log says why.`, { cause });
  };

function objectIn(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
