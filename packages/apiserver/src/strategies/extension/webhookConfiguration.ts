import {
  type FieldError,
  field,
  type MutatingWebhook,
  type MutatingWebhookConfiguration,
  type RuleWithOperations,
  type ValidatingWebhookConfiguration,
  type WebhookClientConfig,
} from '@vireo/api';
import { dnsSubdomain } from '@vireo/api/names.ts';
import { defineStrategy } from '../define.ts';
import { duplicates, each, inRange, invalidFor, oneOf, requiredText } from '../fields.ts';
import { validateLabelSelector } from '../selectors.ts';

const OPERATIONS = ['*', 'CONNECT', 'CREATE', 'DELETE', 'UPDATE'];
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

const validateWebhooks = (webhooks: readonly Webhook[] | undefined): FieldError[] => [
  ...each(webhooks, 'webhooks', validateWebhook),
  ...duplicates(
    webhooks,
    ({ name }) => name,
    (index) => `webhooks[${index}].name`,
  ),
];

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
    ...each(webhook.matchConditions, `${path}.matchConditions`, (condition, at) => [
      ...requiredText(`${at}.name`, condition.name),
      ...requiredText(`${at}.expression`, condition.expression),
    ]),
    ...duplicates(
      webhook.matchConditions,
      ({ name }) => name,
      (index) => `${path}.matchConditions[${index}].name`,
    ),
  ];
}

function validateName(name: string | undefined, path: string): FieldError[] {
  if (!name) return [field.required(path)];
  const broken = invalidFor(path, name, dnsSubdomain(name));
  return broken.length > 0 || name.split('.').length >= 3
    ? broken
    : [field.invalid(path, name, 'should be a domain with at least three segments separated by dots')];
}

const validateRule = (rule: RuleWithOperations, path: string): FieldError[] => [
  ...((rule.operations ?? []).length === 0 ? [field.required(`${path}.operations`)] : []),
  ...wildcardErrors(rule.operations, `${path}.operations`, "if '*' is present, must not specify other operations"),
  ...each(rule.operations, `${path}.operations`, (operation, at) => oneOf(at, operation, OPERATIONS, 'required')),
  ...((rule.apiGroups ?? []).length === 0 ? [field.required(`${path}.apiGroups`)] : []),
  ...wildcardErrors(rule.apiGroups, `${path}.apiGroups`, "if '*' is present, must not specify other API groups"),
  ...((rule.apiVersions ?? []).length === 0 ? [field.required(`${path}.apiVersions`)] : []),
  ...wildcardErrors(rule.apiVersions, `${path}.apiVersions`, "if '*' is present, must not specify other API versions"),
  ...each(rule.apiVersions, `${path}.apiVersions`, (version, at) => requiredText(at, version)),
  ...((rule.resources ?? []).length === 0 ? [field.required(`${path}.resources`)] : []),
  ...each(rule.resources, `${path}.resources`, (resource, at) => requiredText(at, resource)),
  ...oneOf(`${path}.scope`, rule.scope, ['*', 'Cluster', 'Namespaced']),
];

const wildcardErrors = (values: readonly string[] | undefined, path: string, message: string): FieldError[] =>
  values && values.length > 1 && values.includes('*') ? [field.invalid(path, values, message)] : [];

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
