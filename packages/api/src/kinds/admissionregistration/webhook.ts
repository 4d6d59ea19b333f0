import { bytes, type Infer, int32, list, opt, req, string, struct } from '../../schema.ts';

export const MatchCondition = struct(
  'io.k8s.api.admissionregistration.v1.MatchCondition',
  'A condition for a webhook to be called.',
  {
    expression: req(2, string, 'The condition, in CEL.'),
    name: req(1, string, 'Name of the condition.'),
  },
);
export interface MatchCondition extends Infer<typeof MatchCondition> {}

export const RuleWithOperations = struct(
  'io.k8s.api.admissionregistration.v1.RuleWithOperations',
  'Which requests a webhook is for.',
  {
    apiGroups: opt([2, 1], list(string, 'atomic'), 'Groups; * for all.'),
    apiVersions: opt([2, 2], list(string, 'atomic'), 'Versions; * for all.'),
    operations: opt(1, list(string, 'atomic'), 'CREATE, UPDATE, DELETE, CONNECT or * for all.'),
    resources: opt([2, 3], list(string, 'atomic'), 'Resources and subresources; * for all.'),
    scope: opt([2, 4], string, { default: '*', pointer: true, doc: 'Cluster, Namespaced or * for both.' }),
  },
);
export interface RuleWithOperations extends Infer<typeof RuleWithOperations> {}

export const WebhookServiceReference = struct(
  'io.k8s.api.admissionregistration.v1.ServiceReference',
  'A service that a webhook is behind.',
  {
    name: req(2, string, 'Name of the service.'),
    namespace: req(1, string, 'Namespace of the service.'),
    path: opt(3, string, { pointer: true, doc: 'Path to call.' }),
    port: opt(4, int32, { default: 443, pointer: true, doc: 'Port to call.' }),
  },
);
export interface WebhookServiceReference extends Infer<typeof WebhookServiceReference> {}

export const WebhookClientConfig = struct(
  'io.k8s.api.admissionregistration.v1.WebhookClientConfig',
  'How a webhook is called.',
  {
    caBundle: opt(2, bytes, 'Certificates that its own must be signed by.'),
    service: opt(1, WebhookServiceReference, 'A service in the cluster.'),
    url: opt(3, string, { pointer: true, doc: 'Or a URL.' }),
  },
);
export interface WebhookClientConfig extends Infer<typeof WebhookClientConfig> {}
