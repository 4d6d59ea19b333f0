type Headers = Readonly<Record<string, string | readonly string[] | undefined>>;

/**
 * Who caused a request, as far as its headers tell:
 * - `program`: no browser, such as kubectl, or a proxy with a certificate of its own;
 * - `own`: a page that this server has served, or somebody who typed an address;
 * - `foreign`: a page of another site, or of another port of this host.
 */
export type Cause = 'program' | 'own' | 'foreign';

/**
 * Browsers show a client certificate with every request to a server, whichever page causes it, and a form or a WebSocket
 * of any page reaches every server. What browsers add, and pages cannot change, tells these from our own.
 */
export function causeOf(headers: Headers): Cause {
  const { origin, 'sec-fetch-site': site } = headers;
  if (origin === undefined && site === undefined) return 'program';
  // No page can send this header unasked. A proxy adds it, and it is the proxy that decides whose requests it forwards.
  if (headers['x-forwarded-for'] !== undefined) return 'program';
  if (site !== undefined && site !== 'same-origin' && site !== 'none') return 'foreign';
  return origin === undefined || origin === ownOrigin(headers) ? 'own' : 'foreign';
}

const ownOrigin = (headers: Headers): string => `https://${headers[':authority'] ?? headers.host}`;

/** Whether a request says by itself who it is from. */
export const hasToken = ({ authorization, 'sec-websocket-protocol': protocols }: Headers): boolean =>
  authorization !== undefined || String(protocols ?? '').includes(TOKEN_PROTOCOL);

const TOKEN_PROTOCOL = 'base64url.bearer.authorization.k8s.io.';
