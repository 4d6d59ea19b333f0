import { defineKind } from '../../kind.ts';
import { objectFields } from '../../meta.ts';
import { type Infer, int32, list, opt, req, string, struct } from '../../schema.ts';
import { ageColumn } from '../columns.ts';
import { LabelSelector } from '../meta/selectors.ts';
import { MatchCondition, RuleWithOperations, WebhookClientConfig } from './webhook.ts';

export const MutatingWebhook = struct('io.k8s.api.admissionregistration.v1.MutatingWebhook', '', {
  admissionReviewVersions: req(8, list(string, 'atomic')),
  clientConfig: req(2, WebhookClientConfig),
  failurePolicy: opt(4, string, { default: 'Fail' }),
  matchConditions: opt(12, list(MatchCondition, ['name']), { patch: 'merge', key: 'name' }),
  matchPolicy: opt(9, string, { default: 'Equivalent' }),
  name: req(1, string),
  namespaceSelector: opt(5, LabelSelector, { default: {} }),
  objectSelector: opt(11, LabelSelector, { default: {} }),
  reinvocationPolicy: opt(10, string, { default: 'Never' }),
  rules: opt(3, list(RuleWithOperations, 'atomic')),
  sideEffects: req(6, string),
  timeoutSeconds: opt(7, int32, { default: 10 }),
});
export interface MutatingWebhook extends Infer<typeof MutatingWebhook> {}

export const MutatingWebhookConfigurationSchema = struct(
  'io.k8s.api.admissionregistration.v1.MutatingWebhookConfiguration',
  '',
  {
    ...objectFields,
    webhooks: opt(2, list(MutatingWebhook, ['name']), { patch: 'merge', key: 'name' }),
  },
);
export interface MutatingWebhookConfiguration extends Infer<typeof MutatingWebhookConfigurationSchema> {}

export const MutatingWebhookConfiguration = defineKind<MutatingWebhookConfiguration>({
  group: 'admissionregistration.k8s.io',
  version: 'v1',
  kind: 'MutatingWebhookConfiguration',
  plural: 'mutatingwebhookconfigurations',
  namespaced: false,
  categories: ['api-extensions'],
  schema: MutatingWebhookConfigurationSchema,
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
