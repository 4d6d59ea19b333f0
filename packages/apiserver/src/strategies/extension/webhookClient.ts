import { type CustomResourceConversion, type FieldError, field, type WebhookClientConfig } from '@vireo/api';
import { dns1035Label, dnsSubdomain } from '@vireo/api/names.ts';
import { each, inRange, invalidFor, oneOf } from '../fields.ts';

const FORM = '; desired format: https://host[/path]';

/** Where a webhook is: one of a URL and a Service. */
export function validateClientConfig(config: WebhookClientConfig | undefined, path: string): FieldError[] {
  if (!config || (config.url !== undefined) === (config.service !== undefined)) {
    return [field.required(path, 'exactly one of url or service is required')];
  }
  const { service, url } = config;
  if (url !== undefined) return validateUrl(url, `${path}.url`);
  const at = `${path}.service`;
  return [
    ...(service?.name ? [] : [field.required(`${at}.name`, 'service name is required')]),
    ...(service?.namespace ? [] : [field.required(`${at}.namespace`, 'service namespace is required')]),
    ...inRange(`${at}.port`, service?.port, 1, 65535).map(() =>
      field.invalid(`${at}.port`, service?.port, 'port is not valid: must be between 1 and 65535, inclusive'),
    ),
    ...validatePath(service?.path ?? '', `${at}.path`),
  ];
}

function validateUrl(text: string, path: string): FieldError[] {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (!url) return [field.required(path, `url must be a valid URL: ${text}${FORM}`)];
  const user = [url.username, url.password].filter(Boolean).join(':');
  return [
    ...(url.protocol === 'https:'
      ? []
      : [field.invalid(path, url.protocol.slice(0, -1), `'https' is the only allowed URL scheme${FORM}`)]),
    ...(url.host ? [] : [field.invalid(path, '', `host must be provided${FORM}`)]),
    ...(user ? [field.invalid(path, user, 'user information is not permitted in the URL')] : []),
    ...(url.hash ? [field.invalid(path, url.hash.slice(1), 'fragments are not permitted in the URL')] : []),
    ...(url.search ? [field.invalid(path, url.search.slice(1), 'query parameters are not permitted in the URL')] : []),
  ];
}

/** `/a/b`, of names that a domain could have; one slash at the end does not count. */
function validatePath(value: string, path: string): FieldError[] {
  if (value === '' || value === '/') return [];
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

/** The versions of reviews that a webhook understands; one must be known to the server. */
export function validateReviewVersions(versions: readonly string[], path: string, hint?: string): FieldError[] {
  if (versions.length === 0) return [field.required(path, hint)];
  return [
    ...each(versions, path, (version, at) =>
      versions.indexOf(version) < versions.lastIndexOf(version) && at !== `${path}[${versions.indexOf(version)}]`
        ? [field.invalid(at, version, 'duplicate version')]
        : invalidFor(at, version, dns1035Label(version)),
    ),
    ...(versions.some((version) => REVIEW_VERSIONS.includes(version))
      ? []
      : [field.invalid(path, versions, `must include at least one of ${REVIEW_VERSIONS.join(', ')}`)]),
  ];
}

/** How a definition says that its objects are converted. Errors name fields as Kubernetes does inside. */
export function validateConversion(conversion: CustomResourceConversion | undefined, path: string): FieldError[] {
  if (!conversion) return [];
  const { strategy, webhook } = conversion;
  const [client, versions] = [`${path}.webhookClientConfig`, `${path}.conversionReviewVersions`];
  const errors = oneOf(`${path}.strategy`, strategy, ['None', 'Webhook'], 'required');
  if (strategy !== 'Webhook') {
    const why = 'should not be set when strategy is not set to Webhook';
    return [
      ...errors,
      ...(webhook?.clientConfig ? [field.forbidden(client, why)] : []),
      ...(webhook?.conversionReviewVersions?.length ? [field.forbidden(versions, why)] : []),
    ];
  }
  return [
    ...errors,
    ...(webhook?.clientConfig
      ? validateClientConfig(webhook.clientConfig, client)
      : [field.required(client, 'required when strategy is set to Webhook')]),
    ...validateReviewVersions(webhook?.conversionReviewVersions ?? [], versions),
  ];
}
