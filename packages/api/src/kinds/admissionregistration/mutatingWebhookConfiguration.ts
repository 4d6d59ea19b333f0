import { defineKind } from '../../kind.ts';
import { objectFields } from '../../meta.ts';
import { type Infer, int32, list, opt, req, string, struct } from '../../schema.ts';
import { ageColumn } from '../columns.ts';
import { LabelSelector } from '../meta/selectors.ts';
import { MatchCondition, RuleWithOperations, WebhookClientConfig } from './webhook.ts';

export const MutatingWebhook = struct(
  'io.k8s.api.admissionregistration.v1.MutatingWebhook',
  'A webhook that may change objects.',
  {
    admissionReviewVersions: req(8, list(string, 'atomic'), 'Versions of AdmissionReview that it understands.'),
    clientConfig: req(2, WebhookClientConfig, 'How the API server calls the webhook.'),
    failurePolicy: opt(4, string, {
      default: 'Fail',
      pointer: true,
      doc: 'What happens if the webhook cannot be called: Fail or Ignore.',
    }),
    matchConditions: opt(12, list(MatchCondition, ['name']), {
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
    objectSelector: opt(11, LabelSelector, {
      default: {},
      doc: 'Labels of the objects that the webhook is called for. Empty selects all objects.',
    }),
    reinvocationPolicy: opt(10, string, {
      default: 'Never',
      pointer: true,
      doc: 'Whether it is called again after later changes: Never or IfNeeded.',
    }),
    rules: opt(3, list(RuleWithOperations, 'atomic'), 'Requests that the webhook is called for.'),
    sideEffects: req(6, string, 'Side effects of the webhook: None or NoneOnDryRun.'),
    timeoutSeconds: opt(7, int32, { default: 10, pointer: true, doc: 'Timeout of a call in seconds.' }),
  },
);
export interface MutatingWebhook extends Infer<typeof MutatingWebhook> {}

export const MutatingWebhookConfigurationSchema = struct(
  'io.k8s.api.admissionregistration.v1.MutatingWebhookConfiguration',
  'Webhooks that may change objects before they are stored.',
  {
    ...objectFields,
    webhooks: opt(2, list(MutatingWebhook, ['name']), {
      patch: 'merge',
      key: 'name',
      doc: 'Webhooks that are called, in order of their names.',
    }),
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
      description: 'Number of webhooks in the configuration.',
      value: ({ webhooks }) => webhooks?.length ?? 0,
    },
    ageColumn,
  ],
});
