import {
  type FieldError,
  field,
  type MutatingWebhook,
  type MutatingWebhookConfiguration,
  type ValidatingWebhookConfiguration,
} from '@vireo/api';
import { dnsSubdomain } from '@vireo/api/names.ts';
import { defineStrategy } from '../define.ts';
import { duplicates, each, inRange, invalidFor, oneOf } from '../fields.ts';
import { validateLabelSelector } from '../selectors.ts';
import { expressionsTooLong, validateMatchConditions } from './expressions.ts';
import { validateRule } from './matchRules.ts';
import { validateClientConfig, validateReviewVersions } from './webhookClient.ts';

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
    ...validateReviewVersions(
      webhook.admissionReviewVersions ?? [],
      `${path}.admissionReviewVersions`,
      'must specify one of v1, v1beta1',
    ),
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
