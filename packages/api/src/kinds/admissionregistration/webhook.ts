import { bytes, type Infer, int32, list, opt, req, string, struct } from '../../schema.ts';

export const MatchCondition = struct(
  'io.k8s.api.admissionregistration.v1.MatchCondition',
  'A CEL condition under which a webhook is called.',
  {
    expression: req(2, string, 'Expression in CEL that must be true.'),
    name: req(1, string, 'Name of the condition.'),
  },
);
export interface MatchCondition extends Infer<typeof MatchCondition> {}

export const RuleWithOperations = struct(
  'io.k8s.api.admissionregistration.v1.RuleWithOperations',
  'Requests that a webhook is called for.',
  {
    apiGroups: opt([2, 1], list(string, 'atomic'), 'API groups of the resources. * matches all.'),
    apiVersions: opt([2, 2], list(string, 'atomic'), 'API versions of the resources. * matches all.'),
    operations: opt(1, list(string, 'atomic'), 'CREATE, UPDATE, DELETE, CONNECT or * for all.'),
    resources: opt([2, 3], list(string, 'atomic'), 'Resources and subresources; * for all.'),
    scope: opt([2, 4], string, { default: '*', pointer: true, doc: 'Cluster, Namespaced or * for both.' }),
  },
);
export interface RuleWithOperations extends Infer<typeof RuleWithOperations> {}

export const WebhookServiceReference = struct(
  'io.k8s.api.admissionregistration.v1.ServiceReference',
  'Refers to the Service of a webhook.',
  {
    name: req(2, string, 'Name of the service.'),
    namespace: req(1, string, 'Namespace of the service.'),
    path: opt(3, string, { pointer: true, doc: 'Path of the request.' }),
    port: opt(4, int32, { default: 443, pointer: true, doc: 'Port of the Service. Defaults to 443.' }),
  },
);
export interface WebhookServiceReference extends Infer<typeof WebhookServiceReference> {}

export const WebhookClientConfig = struct(
  'io.k8s.api.admissionregistration.v1.WebhookClientConfig',
  'How the API server calls a webhook. Set service or url.',
  {
    caBundle: opt(2, bytes, "CA bundle that the webhook's certificate is verified with."),
    service: opt(1, WebhookServiceReference, 'A service in the cluster.'),
    url: opt(3, string, { pointer: true, doc: 'URL of the webhook, instead of a Service.' }),
  },
);
export interface WebhookClientConfig extends Infer<typeof WebhookClientConfig> {}
