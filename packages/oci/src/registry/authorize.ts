import { OciError } from '../errors.ts';
import { type Challenge, parseChallenge } from './challenge.ts';
import type { Credentials } from './credentials.ts';
import { readBody, send, type Trust } from './http.ts';
import { failureOf } from './refusals.ts';

export interface Asker {
  readonly registry: URL;
  readonly repository: string;
  readonly credentials?: Credentials;
  readonly trust?: Trust;
  readonly actions?: string;
}

const MAX_TOKEN_BYTES = 1024 * 1024;

/** The `Authorization` that answers a challenge; undefined when there is nothing to answer it with. */
export async function authorization(
  header: string | undefined,
  asker: Asker,
  signal?: AbortSignal,
): Promise<string | undefined> {
  const challenge = parseChallenge(header ?? '');
  if (!challenge) return undefined;
  return challenge.scheme === 'basic' ? basic(asker.credentials) : bearer(challenge, asker, signal);
}

const basic = ({ username, password = '' }: Credentials = {}): string | undefined =>
  username === undefined ? undefined : `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`;

/** Buys a token. Without credentials that is how public images are pulled. */
async function bearer(
  { realm, service, scope }: Extract<Challenge, { scheme: 'bearer' }>,
  asker: Asker,
  signal?: AbortSignal,
): Promise<string> {
  const { registry, repository, credentials, trust, actions = 'pull' } = asker;
  const url = URL.canParse(realm) ? new URL(realm) : undefined;
  const isWeb = url?.protocol === 'https:' || url?.protocol === 'http:';
  if (!url || !isWeb)
    throw new OciError('BadResponse', `registry ${registry.host} refers to a token service without a valid URL`);
  if (registry.protocol === 'https:' && url.protocol !== 'https:')
    throw new OciError('BadResponse', `registry ${registry.host} refers to a token service over plain HTTP`);
  const wanted = { ...(service && { service }), scope: scope ?? `repository:${repository}:${actions}` };
  const response = credentials?.identityToken
    ? await send(url, { ...tokenForm(credentials.identityToken, wanted), trust, signal })
    : await send(withQuery(url, wanted), { headers: authorizationHeader(basic(credentials)), trust, signal });
  if (response.status !== 200) throw await failureOf(response, `the token service ${url.host}`, credentials);
  return `Bearer ${tokenIn(await readBody(response.body, MAX_TOKEN_BYTES, `the token of ${url.host}`), url.host)}`;
}

export const authorizationHeader = (value: string | undefined): Record<string, string> =>
  value === undefined ? {} : { authorization: value };

function withQuery(url: URL, parameters: Readonly<Record<string, string>>): URL {
  const target = new URL(url);
  for (const [key, value] of Object.entries(parameters)) target.searchParams.set(key, value);
  return target;
}

const tokenForm = (token: string, wanted: Readonly<Record<string, string>>) => ({
  method: 'POST' as const,
  headers: { 'content-type': 'application/x-www-form-urlencoded' },
  body: new URLSearchParams({
    ...wanted,
    grant_type: 'refresh_token',
    refresh_token: token,
    client_id: 'vireo',
  }).toString(),
});

function tokenIn(body: Buffer, host: string): string {
  try {
    const { token, access_token: accessToken } = JSON.parse(body.toString('utf8'));
    const found: unknown = token ?? accessToken;
    // It becomes a header: nothing but visible characters.
    if (typeof found === 'string' && /^[\x21-\x7e]+$/.test(found)) return found;
  } catch {
    // Said below, without the body: it may hold a token.
  }
  throw new OciError('BadResponse', `the token service ${host} did not return a token`);
}
