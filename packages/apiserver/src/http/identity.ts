import type { TLSSocket } from 'node:tls';
import { ApiError, badRequest } from '@vireo/api';
import { ANONYMOUS, headersFromRaw, type UserInfo } from '@vireo/kube';
import { noteImpersonation, noteSender } from '../audit/context.ts';
import type { Authenticator } from '../auth/authenticate.ts';
import { impersonate } from '../auth/impersonate.ts';
import type { Authorizer } from '../rbac/authorize.ts';
import { causeOf, hasToken } from './browserRequest.ts';

/** The parts of a request that say who it is from. */
export interface Signed {
  /** Undefined where the connection has gone already. */
  readonly socket: TLSSocket | undefined;
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  readonly rawHeaders: readonly string[];
}

/** Who a request is from, or is to be treated as coming from (`--as`). Throws 401 and 403. */
export type Identify = (request: Signed) => Promise<UserInfo>;

/** For how long a connection's certificate is not looked at again. */
const TRUST_MS = 60_000;

/** Where a request may say who it is from, beside its connection's certificate. */
const CREDENTIAL_HEADERS = ['authorization', 'x-remote-user', 'sec-websocket-protocol'];

const FOREIGN = 'the request was caused by a page of another site, which cannot use your client certificate';

/**
 * A connection whose certificate says who it is is asked once a minute, not once a request. `onKnown` is called for those on
 * which somebody has shown who he is.
 *
 * A certificate that a browser shows counts for our own pages only, and a token that they send goes before it: users choose
 * a token, browsers add the certificate by themselves.
 */
export function createIdentify(
  authenticator: Authenticator,
  authorizer: Authorizer,
  onKnown: (socket: TLSSocket) => void = () => {},
): Identify {
  const known = new WeakMap<TLSSocket, { user: UserInfo; until: number }>();

  async function authenticate({ socket, headers, rawHeaders }: Signed): Promise<UserInfo> {
    if (!socket) throw badRequest('the connection was closed before the request was processed');
    const isPlain = !CREDENTIAL_HEADERS.some((name) => headers[name] !== undefined);
    const cached = isPlain ? known.get(socket) : undefined;
    if (cached && cached.until > Date.now()) return cached.user;
    const isOverruled = !isPlain && hasToken(headers) && causeOf(headers) !== 'program';
    const user = await authenticator.authenticate({
      peerCertificate: isOverruled ? undefined : socket.getPeerCertificate?.(),
      tlsAuthorized: socket.authorized,
      authorization: headers.authorization as string | undefined,
      headers: headersFromRaw(rawHeaders),
    });
    if (user !== ANONYMOUS) onKnown(socket);
    if (isPlain) known.set(socket, { user, until: Date.now() + TRUST_MS });
    return user;
  }

  return async (request) => {
    const user = await authenticate(request);
    if (user !== ANONYMOUS && !hasToken(request.headers) && causeOf(request.headers) === 'foreign')
      throw new ApiError('Forbidden', FOREIGN);
    if (!Object.keys(request.headers).some((name) => name.startsWith('impersonate-'))) return user;
    try {
      const other = impersonate(user, headersFromRaw(request.rawHeaders), (wanted) => authorizer.authorize(wanted));
      noteImpersonation(other, user);
      return other;
    } catch (error) {
      noteSender(error, user);
      throw error;
    }
  };
}
