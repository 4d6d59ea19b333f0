/** URLs as Go's net/url reads them: it takes other texts for URLs than JavaScript does. */

/** A URL in parts. */
export interface ParsedUrl {
  readonly scheme: string;
  /** With its port. */
  readonly host: string;
  readonly hostname: string;
  readonly port: string;
  readonly escapedPath: string;
  readonly query: ReadonlyMap<string, readonly string[]>;
  readonly rawQuery: string;
  readonly userinfo?: string;
  readonly fragment: string;
  /** Equal for equal URLs. */
  readonly text: string;
}

/** Says why a text is no URL, in Go's words. */
export class UrlError extends Error {}

/** Reads an absolute URL or path, as `ParseRequestURI` does. Throws a UrlError. */
export function parseUrl(text: string): ParsedUrl {
  const fail = failing(text);
  if (CONTROL.test(text)) return fail(NO_CONTROL);
  if (text === '') return fail('empty url');
  if (text === '*') return build({ path: '*', raw: '*' });
  checkRequest(text, fail);
  return whole(text, fail);
}

/** Reads a URL that may be relative, as `Parse` does. Throws a UrlError. */
export function parseUrlReference(text: string): ParsedUrl {
  const fail = failing(text);
  return CONTROL.test(text) ? fail(NO_CONTROL) : whole(text, fail);
}

const CONTROL = /[\x00-\x1f\x7f]/;
const NO_CONTROL = 'net/url: invalid control character in URL';

const failing =
  (text: string) =>
  (why: string): never => {
    throw new UrlError(`parse ${JSON.stringify(text)}: ${why}`);
  };

function whole(text: string, fail: (why: string) => never): ParsedUrl {
  const hash = text.indexOf('#');
  const fragment = hash === -1 ? undefined : text.slice(hash + 1);
  return parts(hash === -1 ? text : text.slice(0, hash), fragment, fail);
}

interface Parts {
  scheme?: string;
  opaque?: string;
  userinfo?: string;
  host?: string;
  path: string;
  raw: string;
  query?: string;
  fragment?: string;
}

/** The stricter reading that `ParseRequestURI` does first, and in which a fragment is a part of the path. */
function checkRequest(text: string, fail: (why: string) => never): void {
  const { scheme, rest } = schemeOf(text, fail);
  const path = rest.split('?', 1)[0] as string;
  if (path.startsWith('/')) {
    parts(text, undefined, fail);
    return;
  }
  if (scheme === '') fail('invalid URI for request');
}

function schemeOf(text: string, fail: (why: string) => never): { scheme: string; rest: string } {
  if (text.startsWith(':')) fail('missing protocol scheme');
  const match = /^([A-Za-z][A-Za-z0-9+.-]*):/.exec(text);
  return match
    ? { scheme: (match[1] as string).toLowerCase(), rest: text.slice(match[0].length) }
    : { scheme: '', rest: text };
}

function parts(text: string, fragment: string | undefined, fail: (why: string) => never): ParsedUrl {
  const { scheme, rest: all } = schemeOf(text, fail);
  const question = all.indexOf('?');
  const query = question === -1 ? undefined : all.slice(question + 1);
  const rest = question === -1 ? all : all.slice(0, question);
  const common = { scheme, ...(query !== undefined && { query }), ...(fragment !== undefined && { fragment }) };
  if (!rest.startsWith('/') && scheme !== '') return build({ ...common, opaque: rest, path: '', raw: '' });
  const hasAuthority = rest.startsWith('//') && (scheme !== '' || !rest.startsWith('///'));
  const slash = hasAuthority ? rest.indexOf('/', 2) : 0;
  const raw = hasAuthority ? (slash === -1 ? '' : rest.slice(slash)) : rest;
  const authority = hasAuthority ? rest.slice(2, slash === -1 ? undefined : slash) : '';
  return build({ ...common, ...authorityOf(authority, fail), path: percentDecode(raw, fail), raw });
}

function authorityOf(authority: string, fail: (why: string) => never): { userinfo?: string; host: string } {
  const at = authority.lastIndexOf('@');
  const host = hostOf(authority.slice(at + 1), fail);
  if (at === -1) return { host };
  const userinfo = authority.slice(0, at);
  if (!/^[A-Za-z0-9\-._:~!$&'()*+,;=%@]*$/.test(userinfo)) fail('net/url: invalid userinfo');
  percentDecode(userinfo, fail);
  return { userinfo, host };
}

function hostOf(host: string, fail: (why: string) => never): string {
  const bracket = host.startsWith('[') ? host.lastIndexOf(']') : undefined;
  if (bracket === -1) fail("missing ']' in host");
  const colon = bracket === undefined ? host.lastIndexOf(':') : bracket + 1;
  const port = colon === -1 ? '' : host.slice(colon);
  if (!/^(:\d*)?$/.test(port)) fail(`invalid port ${JSON.stringify(port)} after host`);
  const bad = /[^A-Za-z0-9\-_.~!$&'()*+,;=:[\]<>"%\u0080-\u{10ffff}]/u.exec(host)?.[0];
  if (bad !== undefined) fail(`invalid character ${JSON.stringify(bad)} in host name`);
  const ascii = /%(?!25)[0-7][0-9a-fA-F]/.exec(host)?.[0];
  if (ascii !== undefined) fail(`invalid URL escape ${JSON.stringify(ascii)}`);
  return percentDecode(host, fail);
}

/** The text behind percent signs. */
function percentDecode(text: string, fail: (why: string) => never): string {
  const bad = /%(?![0-9a-fA-F]{2}).{0,2}/su.exec(text)?.[0];
  if (bad !== undefined) fail(`invalid URL escape ${JSON.stringify(bad)}`);
  if (!text.includes('%')) return text;
  const bytes: number[] = [];
  const source = Buffer.from(text);
  for (let i = 0; i < source.length; i++) {
    const isEscape = source[i] === 0x25;
    bytes.push(isEscape ? Number.parseInt(source.toString('latin1', i + 1, i + 3), 16) : (source[i] as number));
    if (isEscape) i += 2;
  }
  return Buffer.from(bytes).toString();
}

const PATH = /^[A-Za-z0-9\-_.~!$&'()*+,;=:@[\]%/]*$/;

/** The path as it was written, where that is a proper way to write it. */
function escapedPath(raw: string, path: string): string {
  if (PATH.test(raw)) return raw;
  return [...Buffer.from(path)]
    .map((byte) => String.fromCharCode(byte))
    .map((character) =>
      /[A-Za-z0-9\-_.~$&+,/:;=@]/.test(character)
        ? character
        : `%${character.charCodeAt(0).toString(16).toUpperCase().padStart(2, '0')}`,
    )
    .join('');
}

function build({ scheme = '', opaque, userinfo, host = '', path, raw, query, fragment }: Parts): ParsedUrl {
  const shown = escapedPath(raw, path);
  const [, hostname = '', port = ''] = /^(.*?)(?::(\d*))?$/s.exec(host) ?? [];
  return {
    scheme,
    host,
    hostname: hostname.replace(/^\[(.*)\]$/s, '$1'),
    port,
    escapedPath: shown,
    query: queryOf(query ?? ''),
    rawQuery: query ?? '',
    ...(userinfo !== undefined && { userinfo }),
    fragment: fragment ?? '',
    text: JSON.stringify([scheme, opaque, userinfo, host, shown, query, fragment]),
  };
}

function queryOf(query: string): Map<string, string[]> {
  const values = new Map<string, string[]>();
  for (const part of query.split('&')) {
    if (part === '' || part.includes(';')) continue;
    const equals = part.indexOf('=');
    try {
      const [key, value] = [
        equals === -1 ? part : part.slice(0, equals),
        equals === -1 ? '' : part.slice(equals + 1),
      ].map((text) =>
        percentDecode(text.replaceAll('+', ' '), () => {
          throw new UrlError('bad escape');
        }),
      ) as [string, string];
      values.set(key, [...(values.get(key) ?? []), value]);
    } catch (error) {
      // Go leaves out what it cannot read.
      if (!(error instanceof UrlError)) throw error;
    }
  }
  return values;
}
