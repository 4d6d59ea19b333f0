/** Kubernetes' library of URLs. */
import { declare, type Library, memberOverload, overload } from '../declarations.ts';
import { work } from '../meter.ts';
import { BOOL, listType, mapType, STRING, structType } from '../types.ts';
import { Entries, Values } from '../values/collections.ts';
import { CelError, type CelValue, OpaqueValue, type Result } from '../values/values.ts';
import { type ParsedUrl, parseUrl, UrlError } from './parseUrl.ts';

const URL_TYPE = structType('kubernetes.URL');

class UrlValue extends OpaqueValue {
  readonly type = URL_TYPE;
  readonly parsed: ParsedUrl;

  constructor(parsed: ParsedUrl) {
    super();
    this.parsed = parsed;
  }

  equals(other: OpaqueValue): boolean {
    return other instanceof UrlValue && other.parsed.text === this.parsed.text;
  }
}

function toUrl(text: string): UrlValue | CelError {
  work(text.length);
  try {
    return new UrlValue(parseUrl(text));
  } catch (error) {
    if (!(error instanceof UrlError)) throw error;
    return new CelError(`URL parse error during conversion from string: ${error.message}`);
  }
}

function queryOf({ parsed }: UrlValue): Result {
  const entries = [...parsed.query].map(([key, values]): [string, readonly [CelValue, CelValue]] => [
    key,
    [key, new Values(values)],
  ]);
  return new Entries(new Map(entries));
}

const part = (name: string, id: string, of: (url: ParsedUrl) => string) =>
  declare(
    name,
    memberOverload(`url_get_${id}`, [URL_TYPE], STRING, ({ parsed }: UrlValue) => of(parsed)),
  );

/** `url(…)` and its parts. */
export const urls: Library = {
  functions: [
    declare('url', overload('string_to_url', [STRING], URL_TYPE, toUrl)),
    declare(
      'isURL',
      overload('is_url_string', [STRING], BOOL, (text: string) => !(toUrl(text) instanceof CelError)),
    ),
    part('getScheme', 'scheme', ({ scheme }) => scheme),
    part('getHost', 'host', ({ host }) => host),
    part('getHostname', 'hostname', ({ hostname }) => hostname),
    part('getPort', 'port', ({ port }) => port),
    part('getEscapedPath', 'escaped_path', ({ escapedPath }) => escapedPath),
    declare('getQuery', memberOverload('url_get_query', [URL_TYPE], mapType(STRING, listType(STRING)), queryOf)),
  ],
};
