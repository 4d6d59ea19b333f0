import {
  type FieldError,
  field,
  type MutatingWebhook,
  type MutatingWebhookConfiguration,
  type ValidatingWebhookConfiguration,
  type WebhookClientConfig,
} from '@vireo/api';
import { dnsSubdomain } from '@vireo/api/names.ts';
import { defineStrategy } from '../define.ts';
import { duplicates, each, inRange, invalidFor, oneOf, requiredText } from '../fields.ts';
import { validateLabelSelector } from '../selectors.ts';
import { expressionsTooLong, validateMatchConditions } from './expressions.ts';
import { validateRule } from './matchRules.ts';

const REVIEW_VERSIONS = ['v1', 'v1beta1'];

export const mutatingWebhookConfigurationStrategy = defineStrategy<MutatingWebhookConfiguration>({
  unconditionalUpdate: false,
  validate: ({ webhooks }) => validateWebhooks(webhooks),
});

export const validatingWebhookConfigurationStrategy = defineStrategy<ValidatingWebhookConfiguration>({
  unconditionalUpdate: false,
  validate: ({ webhooks }) => validateWebhooks(webhooks),
});

/** What both kinds of webhooks share; only a mutating one can be asked twice. */
type Webhook = Omit<MutatingWebhook, 'reinvocationPolicy'> & Pick<Partial<MutatingWebhook>, 'reinvocationPolicy'>;

function validateWebhooks(webhooks: readonly Webhook[] = []): FieldError[] {
  const conditions = webhooks.flatMap(({ matchConditions = [] }) =>
    matchConditions.map(({ expression }) => expression),
  );
  const tooLong = expressionsTooLong('webhooks', conditions);
  if (tooLong.length > 0) return tooLong;
  return [
    ...each(webhooks, 'webhooks', validateWebhook),
    ...duplicates(
      webhooks,
      ({ name }) => name,
      (index) => `webhooks[${index}].name`,
    ),
  ];
}

function validateWebhook(webhook: Webhook, path: string): FieldError[] {
  return [
    ...validateName(webhook.name, `${path}.name`),
    ...each(webhook.rules, `${path}.rules`, validateRule),
    ...oneOf(`${path}.failurePolicy`, webhook.failurePolicy, ['Fail', 'Ignore']),
    ...oneOf(`${path}.matchPolicy`, webhook.matchPolicy, ['Equivalent', 'Exact']),
    ...oneOf(`${path}.reinvocationPolicy`, webhook.reinvocationPolicy, ['IfNeeded', 'Never']),
    ...(webhook.sideEffects
      ? oneOf(`${path}.sideEffects`, webhook.sideEffects, ['None', 'NoneOnDryRun'])
      : [field.required(`${path}.sideEffects`, 'must specify one of None, NoneOnDryRun')]),
    ...inRange(`${path}.timeoutSeconds`, webhook.timeoutSeconds, 1, 30).map(() =>
      field.invalid(
        `${path}.timeoutSeconds`,
        webhook.timeoutSeconds,
        'the timeout value must be between 1 and 30 seconds',
      ),
    ),
    ...validateReviewVersions(webhook.admissionReviewVersions ?? [], `${path}.admissionReviewVersions`),
    ...validateLabelSelector(webhook.namespaceSelector, `${path}.namespaceSelector`),
    ...validateLabelSelector(webhook.objectSelector, `${path}.objectSelector`),
    ...validateClientConfig(webhook.clientConfig, `${path}.clientConfig`),
    ...validateMatchConditions(webhook.matchConditions, `${path}.matchConditions`),
  ];
}

function validateName(name: string | undefined, path: string): FieldError[] {
  if (!name) return [field.required(path)];
  const broken = invalidFor(path, name, dnsSubdomain(name));
  return broken.length > 0 || name.split('.').length >= 3
    ? broken
    : [field.invalid(path, name, 'should be a domain with at least three segments separated by dots')];
}

function validateReviewVersions(versions: readonly string[], path: string): FieldError[] {
  if (versions.length === 0) return [field.required(path, `must specify one of ${REVIEW_VERSIONS.join(', ')}`)];
  return versions.some((version) => REVIEW_VERSIONS.includes(version))
    ? []
    : [field.invalid(path, versions, `must include at least one of ${REVIEW_VERSIONS.join(', ')}`)];
}

function validateClientConfig(config: WebhookClientConfig | undefined, path: string): FieldError[] {
  if (!config || (config.url !== undefined) === (config.service !== undefined)) {
    return [field.required(path, 'exactly one of url or service is required')];
  }
  const { service, url } = config;
  if (url !== undefined) return validateUrl(url, `${path}.url`);
  return [
    ...requiredText(`${path}.service.namespace`, service?.namespace),
    ...requiredText(`${path}.service.name`, service?.name),
    ...inRange(`${path}.service.port`, service?.port, 1, 65535),
  ];
}

function validateUrl(text: string, path: string): FieldError[] {
  const form = '; desired format: https://host[/path]';
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (!url) return [field.required(path, `url must be a valid URL: ${text}${form}`)];
  return [
    ...(url.protocol === 'https:'
      ? []
      : [field.invalid(path, url.protocol.slice(0, -1), `'https' is the only allowed URL scheme${form}`)]),
    ...(url.username || url.password
      ? [field.invalid(path, url.username, `user information is not permitted in the URL${form}`)]
      : []),
    ...(url.hash ? [field.invalid(path, url.hash.slice(1), `fragments are not permitted in the URL${form}`)] : []),
    ...(url.search
      ? [field.invalid(path, url.search.slice(1), `query parameters are not permitted in the URL${form}`)]
      : []),
  ];
}
