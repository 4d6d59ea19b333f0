import { defineKind } from '../../kind.ts';
import { objectFields } from '../../meta.ts';
import { type Infer, int32, list, opt, req, string, struct } from '../../schema.ts';
import { ageColumn } from '../columns.ts';
import { LabelSelector } from '../meta/selectors.ts';
import { MatchCondition, RuleWithOperations, WebhookClientConfig } from './webhook.ts';

export const ValidatingWebhook = struct(
  'io.k8s.api.admissionregistration.v1.ValidatingWebhook',
  'A webhook that may reject requests.',
  {
    admissionReviewVersions: req(8, list(string, 'atomic'), 'Versions of AdmissionReview that it understands.'),
    clientConfig: req(2, WebhookClientConfig, 'How the API server calls the webhook.'),
    failurePolicy: opt(4, string, {
      default: 'Fail',
      pointer: true,
      doc: 'What happens if the webhook cannot be called: Fail or Ignore.',
    }),
    matchConditions: opt(11, list(MatchCondition, ['name']), {
      patch: 'merge',
      key: 'name',
      doc: 'Conditions for it to be called.',
    }),
    matchPolicy: opt(9, string, {
      default: 'Equivalent',
      pointer: true,
      doc: 'Exact, or Equivalent to be called for other versions too.',
    }),
    name: req(1, string, 'Name of the webhook, with a domain.'),
    namespaceSelector: opt(5, LabelSelector, {
      default: {},
      doc: 'Labels of the namespaces whose objects the webhook is called for. Empty selects all namespaces.',
    }),
    objectSelector: opt(10, LabelSelector, {
      default: {},
      doc: 'Labels of the objects that the webhook is called for. Empty selects all objects.',
    }),
    rules: opt(3, list(RuleWithOperations, 'atomic'), 'Requests that the webhook is called for.'),
    sideEffects: req(6, string, 'Side effects of the webhook: None or NoneOnDryRun.'),
    timeoutSeconds: opt(7, int32, { default: 10, pointer: true, doc: 'Timeout of a call in seconds.' }),
  },
);
export interface ValidatingWebhook extends Infer<typeof ValidatingWebhook> {}

export const ValidatingWebhookConfigurationSchema = struct(
  'io.k8s.api.admissionregistration.v1.ValidatingWebhookConfiguration',
  'Webhooks that may reject requests.',
  {
    ...objectFields,
    webhooks: opt(2, list(ValidatingWebhook, ['name']), {
      patch: 'merge',
      key: 'name',
      doc: 'Webhooks that are called, all at once.',
    }),
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
      description: 'Number of webhooks in the configuration.',
      value: ({ webhooks }) => webhooks?.length ?? 0,
    },
    ageColumn,
  ],
});
