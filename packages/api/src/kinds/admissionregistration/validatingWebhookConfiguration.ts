import { defineKind } from '../../kind.ts';
import { objectFields } from '../../meta.ts';
import { type Infer, int32, list, opt, req, string, struct } from '../../schema.ts';
import { ageColumn } from '../columns.ts';
import { LabelSelector } from '../meta/selectors.ts';
import { MatchCondition, RuleWithOperations, WebhookClientConfig } from './webhook.ts';

export const ValidatingWebhook = struct('io.k8s.api.admissionregistration.v1.ValidatingWebhook', '', {
  admissionReviewVersions: req(8, list(string, 'atomic')),
  clientConfig: req(2, WebhookClientConfig),
  failurePolicy: opt(4, string, { default: 'Fail' }),
  matchConditions: opt(11, list(MatchCondition, ['name']), { patch: 'merge', key: 'name' }),
  matchPolicy: opt(9, string, { default: 'Equivalent' }),
  name: req(1, string),
  namespaceSelector: opt(5, LabelSelector, { default: {} }),
  objectSelector: opt(10, LabelSelector, { default: {} }),
  rules: opt(3, list(RuleWithOperations, 'atomic')),
  sideEffects: req(6, string),
  timeoutSeconds: opt(7, int32, { default: 10 }),
});
export interface ValidatingWebhook extends Infer<typeof ValidatingWebhook> {}

export const ValidatingWebhookConfigurationSchema = struct(
  'io.k8s.api.admissionregistration.v1.ValidatingWebhookConfiguration',
  '',
  {
    ...objectFields,
    webhooks: opt(2, list(ValidatingWebhook, ['name']), { patch: 'merge', key: 'name' }),
  },
);
export interface ValidatingWebhookConfiguration extends Infer<typeof ValidatingWebhookConfigurationSchema> {}

export const ValidatingWebhookConfiguration = defineKind<ValidatingWebhookConfiguration>({
  group: 'admissionregistration.k8s.io',
  version: 'v1',
  kind: 'ValidatingWebhookConfiguration',
  plural: 'validatingwebhookconfigurations',
  namespaced: false,
  categories: ['api-extensions'],
  schema: ValidatingWebhookConfigurationSchema,
  generation: true,
  columns: [
    {
      name: 'Webhooks',
      type: 'integer',
      description: 'How many webhooks there are.',
      value: ({ webhooks }) => webhooks?.length ?? 0,
    },
    ageColumn,
  ],
});
