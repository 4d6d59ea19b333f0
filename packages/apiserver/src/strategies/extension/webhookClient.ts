/** How a webhook is reached, as configurations of admission and of conversion say it. */
import { type FieldError, field, type WebhookClientConfig } from '@vireo/api';
import { dns1035Label, dnsSubdomain } from '@vireo/api/names.ts';
import { parseUrlReference, UrlError } from '../../cel/libraries/parseUrl.ts';
import { each, inRange, invalidFor } from '../fields.ts';

const FORM = '; desired format: https://host[/path]';

/** Where a webhook is: one of a URL and a Service. */
export function validateClientConfig(config: WebhookClientConfig | undefined, path: string): FieldError[] {
  if (!config || (config.url !== undefined) === (config.service !== undefined)) {
    return [field.required(path, 'exactly one of url or service is required')];
  }
  const { service, url } = config;
  return url === undefined ? validateService(service ?? {}, `${path}.service`) : validateUrl(url, `${path}.url`);
}

function validateUrl(text: string, path: string): FieldError[] {
  try {
    const { scheme, host, userinfo, fragment, rawQuery } = parseUrlReference(text);
    const refuse = (value: string, why: string): FieldError => field.invalid(path, value, why);
    return [
      ...(scheme === 'https' ? [] : [refuse(scheme, `'https' is the only allowed URL scheme${FORM}`)]),
      ...(host ? [] : [refuse('', `host must be specified${FORM}`)]),
      ...(userinfo === undefined ? [] : [refuse(userinfo, 'user information is not permitted in the URL')]),
      ...(fragment ? [refuse(fragment, 'fragments are not permitted in the URL')] : []),
      ...(rawQuery ? [refuse(rawQuery, 'query parameters are not permitted in the URL')] : []),
    ];
  } catch (error) {
    if (!(error instanceof UrlError)) throw error;
    return [field.required(path, `url must be a valid URL: ${error.message}${FORM}`)];
  }
}

/** The original takes the name for the namespace, and the other way round. */
function validateService(
  { name, namespace, path, port }: Partial<NonNullable<WebhookClientConfig['service']>>,
  at: string,
): FieldError[] {
  return [
    ...(namespace ? [] : [field.required(`${at}.name`)]),
    ...(name ? [] : [field.required(`${at}.namespace`)]),
    ...inRange(`${at}.port`, port, 1, 65535).map(() =>
      field.invalid(`${at}.port`, port, 'port is not valid: must be between 1 and 65535, inclusive'),
    ),
    ...validatePath(path ?? '', `${at}.path`),
  ];
}

/** `/a/b`, of names that a domain could have; one slash at the end does not count. */
function validatePath(value: string, path: string): FieldError[] {
  if (value === '' || value === '/') return [];
  if (value === '//') return [field.invalid(path, value, 'segment[0] may not be empty')];
  const segments = value.slice(1).replace(/\/$/, '').split('/');
  return [
    ...(value.startsWith('/') ? [] : [field.invalid(path, value, "must start with a '/'")]),
    ...segments.flatMap((segment, index) =>
      segment === ''
        ? [field.invalid(path, value, `segment[${index}] may not be empty`)]
        : dnsSubdomain(segment).map((problem) => field.invalid(path, value, `segment[${index}]: ${problem}`)),
    ),
  ];
}

const REVIEW_VERSIONS = ['v1', 'v1beta1'];

/** Whether the server knows one of the versions of reviews. */
const isUnderstood = (versions: readonly string[]): boolean =>
  versions.some((version) => REVIEW_VERSIONS.includes(version));

/**
 * The versions of reviews that a webhook understands; one must be known to the server.
 *
 * @param old what was there before, which may be as unknown as it was
 */
export function validateReviewVersions(
  versions: readonly string[],
  path: string,
  hint?: string,
  old: readonly string[] = [],
): FieldError[] {
  if (versions.length === 0) return [field.required(path, hint)];
  const seen = new Set<string>();
  return [
    ...each(versions, path, (version, at) => {
      if (seen.has(version)) return [field.invalid(at, version, 'duplicate version')];
      seen.add(version);
      return invalidFor(at, version, dns1035Label(version));
    }),
    ...(isUnderstood(versions) || (old.length > 0 && !isUnderstood(old))
      ? []
      : [field.invalid(path, versions, `must include at least one of ${REVIEW_VERSIONS.join(', ')}`)]),
  ];
}
