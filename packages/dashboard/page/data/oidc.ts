import {
  authorizationUrl,
  claimsOf,
  type Provider,
  type ProviderEndpoints,
  type Returned,
} from '../decisions/login.ts';
import { OWN_HEADER } from './carrier.ts';
import type { Credential } from './credentials.ts';
import { refusedFrom } from './refused.ts';

/** A login that is under way. None of it is a credential: it is worth nothing without the code, nor the code without it. */
export interface Attempt {
  readonly provider: Provider;
  readonly endpoints: ProviderEndpoints;
  readonly state: string;
  readonly nonce: string;
  readonly verifier: string;
}

type OidcCredential = Credential & { readonly kind: 'oidc' };

/** Prepares a login: the attempt, and the address of the provider to open. */
export async function prepare(
  provider: Provider,
  isAskedAgain: boolean,
): Promise<{ readonly attempt: Attempt; readonly url: string }> {
  const path = `/dashboard/oidc/provider?${new URLSearchParams({ issuer: provider.issuer })}`;
  const endpoints = await ask<ProviderEndpoints>(path);
  const attempt = { provider, endpoints, state: random(), nonce: random(), verifier: random() };
  const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(attempt.verifier));
  const url = authorizationUrl(endpoints, {
    state: attempt.state,
    nonce: attempt.nonce,
    challenge: base64url(new Uint8Array(digest)),
    redirectUri: `${location.origin}/dashboard/login`,
    isAskedAgain,
  });
  return { attempt, url };
}

/** Ends a login with what the provider has sent. Rejects if it is no answer to this attempt. */
export async function complete(attempt: Attempt, returned: Returned): Promise<OidcCredential> {
  const { provider, endpoints, state, nonce, verifier } = attempt;
  if (returned.state !== state) throw new Error(`${provider.name} has answered another question. Log in again.`);
  if ('problem' in returned) throw new Error(`${provider.name} refuses the login: ${returned.problem}`);
  const granted = await exchange({ issuer: provider.issuer, code: returned.code, codeVerifier: verifier });
  if (claimsOf(granted.idToken)?.nonce !== nonce)
    throw new Error(`${provider.name} has sent a token for another login. Log in again.`);
  return { kind: 'oidc', token: granted.idToken, refreshToken: granted.refreshToken, provider, endpoints };
}

/** The same login with a later end. */
export async function refresh(credential: OidcCredential): Promise<OidcCredential> {
  const { provider, refreshToken } = credential;
  const granted = await exchange({ issuer: provider.issuer, refreshToken: refreshToken ?? '' });
  return { ...credential, token: granted.idToken, refreshToken: granted.refreshToken ?? refreshToken };
}

interface Granted {
  readonly idToken: string;
  readonly refreshToken?: string;
}

const exchange = (body: object): Promise<Granted> =>
  ask('/dashboard/oidc/token', { method: 'POST', body: JSON.stringify(body) });

async function ask<T>(path: string, init: RequestInit = {}): Promise<T> {
  const headers = { 'content-type': 'application/json', [OWN_HEADER]: '1' };
  const response = await fetch(path, { ...init, headers, credentials: 'omit', redirect: 'error' });
  if (!response.ok) throw refusedFrom(response.status, await response.text());
  return (await response.json()) as T;
}

const random = (): string => base64url(crypto.getRandomValues(new Uint8Array(32)));

const base64url = (bytes: Uint8Array): string =>
  btoa(String.fromCharCode(...bytes))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replaceAll('=', '');
