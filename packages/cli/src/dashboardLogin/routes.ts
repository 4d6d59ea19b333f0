import { isObject } from '@vireo/api/json.ts';
import { causeOf } from '@vireo/apiserver/http/browserRequest.ts';
import { PAGE_HEADERS } from '@vireo/dashboard';
import { consoleLog, type Exchange, type Log, readBody, splitTarget } from '@vireo/kube';
import { type Grant, type LoginProviders, LoginRefused } from './providers.ts';

/** What the page asks first: how users log in here. */
export const SESSION_PATH = '/dashboard/session';
/** Where an identity provider sends users back to: an address of the page. */
export const RETURN_PATH = '/dashboard/login';
const PROVIDER_PATH = '/dashboard/oidc/provider';
const TOKEN_PATH = '/dashboard/oidc/token';

const OWN_HEADER = 'x-vireo-dashboard';
const MOST_BODY_BYTES = 32 * 1024;
/** Anybody can ask, and each question is one to the provider. */
const MOST_AT_ONCE = 16;

/** Serves what the page needs to log a user in; false if a request is for something else. */
export type LoginHandler = (exchange: Exchange) => Promise<boolean>;

export function loginRoutes(providers: LoginProviders, log: Pick<Log, 'warn'> = consoleLog): LoginHandler {
  let open = 0;

  async function answer(exchange: Exchange): Promise<object> {
    const { path, query } = splitTarget(exchange.target);
    if (path === SESSION_PATH)
      return { mode: 'token', providers: providers.list(), hasCertificate: exchange.socket?.authorized === true };
    requireOwnPage(exchange);
    if (open >= MOST_AT_ONCE) throw new LoginRefused(429, 'Too many users log in at once. Try again.');
    open += 1;
    try {
      if (path === PROVIDER_PATH) return await providers.endpoints(query.get('issuer') ?? '');
      const { issuer, grant } = await readGrant(exchange);
      return await providers.exchange(issuer, grant);
    } finally {
      open -= 1;
    }
  }

  return async (exchange) => {
    const { path } = splitTarget(exchange.target);
    const methods = METHODS[path];
    if (!methods) return false;
    if (!methods.includes(exchange.method)) {
      send(exchange, 405, { message: `Use ${methods[0]}.` }, { allow: methods.join(', ') });
      return true;
    }
    try {
      send(exchange, 200, await answer(exchange));
    } catch (error) {
      if (!(error instanceof LoginRefused)) throw error;
      // What is the user's is told to the user: anybody can send nonsense.
      if (error.status >= 500) log.warn('a login at the dashboard failed', undefined, { reason: reasonOf(error) });
      send(exchange, error.status, { message: error.message });
    }
    return true;
  };
}

const reasonOf = ({ cause, message }: LoginRefused): string => (cause instanceof Error ? cause.message : message);

const METHODS: Readonly<Record<string, readonly string[]>> = {
  [SESSION_PATH]: ['GET', 'HEAD'],
  [PROVIDER_PATH]: ['GET'],
  [TOKEN_PATH]: ['POST'],
};

/** Others have no business here, even though they could not read the answer. */
function requireOwnPage({ headers }: Exchange): void {
  if (headers[OWN_HEADER] === undefined || causeOf(headers) === 'foreign')
    throw new LoginRefused(403, 'The request does not come from the dashboard.');
}

async function readGrant(exchange: Exchange): Promise<{ issuer: string; grant: Grant }> {
  const body = await readBody(exchange.input, exchange.headers['content-length']);
  if (body.length > MOST_BODY_BYTES) throw new LoginRefused(413, 'The request is too large.');
  const { issuer, code, codeVerifier, refreshToken } = fieldsIn(body.toString());
  if (issuer && refreshToken) return { issuer, grant: { refreshToken } };
  const { headers } = exchange;
  const redirectUri = `https://${headers[':authority'] ?? headers.host}${RETURN_PATH}`;
  if (issuer && code && codeVerifier) return { issuer, grant: { code, codeVerifier, redirectUri } };
  throw new LoginRefused(400, 'The request needs an issuer, and a code with its verifier or a refresh token.');
}

function fieldsIn(text: string): Partial<Record<string, string>> {
  try {
    const value: unknown = JSON.parse(text);
    const entries = isObject(value) ? Object.entries(value) : [];
    return Object.fromEntries(entries.filter((entry): entry is [string, string] => typeof entry[1] === 'string'));
  } catch {
    return {};
  }
}

function send(exchange: Exchange, status: number, body: object, more: Record<string, string> = {}): void {
  const headers = { ...PAGE_HEADERS, 'content-type': 'application/json', 'cache-control': 'no-store', ...more };
  exchange.send(status, headers, Buffer.from(`${JSON.stringify(body)}\n`));
}
