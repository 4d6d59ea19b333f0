import type { UserInfo } from '@vireo/kube';

type Headers = Record<string, string | string[]>;

/** What belongs to one connection and is never handed on. */
const HOP_BY_HOP = new Set([
  'connection',
  'keep-alive',
  'proxy-authenticate',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
]);

/** What only the server that clients talk to may say. */
const OWN_ANSWERS = /^access-control-allow-(credentials|headers|methods|origin)$/;

/** Who asks, as a front proxy tells it to the server behind it. */
export function frontProxyHeaders({ username, uid, groups, extra = {} }: UserInfo): Headers {
  const headers: Headers = { 'x-remote-user': encoded(username) };
  if (uid) headers['x-remote-uid'] = encoded(uid);
  if (groups.length > 0) headers['x-remote-group'] = groups.map(encoded);
  for (const [key, values] of Object.entries(extra)) headers[`x-remote-extra-${escapedKey(key)}`] = values.map(encoded);
  return headers;
}

/** Headers carry bytes; Go sends those of UTF-8, and Node takes the characters of Latin-1 for bytes. */
const encoded = (value: string): string => Buffer.from(value).toString('latin1');

/** Percent-encodes what no header name may have, byte by byte. */
const escapedKey = (key: string): string =>
  key.replace(/[^A-Za-z0-9!#$&'*+.^_`|~-]/gu, (character) =>
    [...Buffer.from(character)].map((byte) => `%${byte.toString(16).toUpperCase().padStart(2, '0')}`).join(''),
  );

/** The headers of a client's request that the server behind is to see: neither its connection's nor its credentials. */
export function forwardedHeaders(
  headers: Readonly<Record<string, string | readonly string[] | undefined>>,
  isCredential: (name: string) => boolean,
): Headers {
  const kept = Object.entries(withoutHops(headers)).filter(([name]) => name !== 'host' && !isCredential(name));
  return Object.fromEntries(kept);
}

/** The headers of an answer that the client is to see. */
export const answeredHeaders = (headers: Readonly<Record<string, string | readonly string[] | undefined>>): Headers =>
  Object.fromEntries(Object.entries(withoutHops(headers)).filter(([name]) => !OWN_ANSWERS.test(name)));

/** Headers without those of the connection that they came by. */
export function withoutHops(headers: Readonly<Record<string, string | readonly string[] | undefined>>): Headers {
  const named = namedByConnection(headers.connection);
  const kept = Object.entries(headers).filter(
    ([name, value]) => value !== undefined && !name.startsWith(':') && !isHop(name, named),
  );
  return Object.fromEntries(kept) as Headers;
}

const isHop = (name: string, named: readonly string[]): boolean => HOP_BY_HOP.has(name) || named.includes(name);

const namedByConnection = (connection: string | readonly string[] | undefined): string[] =>
  String(connection ?? '')
    .split(',')
    .map((name) => name.trim().toLowerCase());
