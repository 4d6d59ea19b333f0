import { bytes, type Infer, int32, list, opt, req, string, struct } from '../../schema.ts';

export const MatchCondition = struct('io.k8s.api.admissionregistration.v1.MatchCondition', '', {
  expression: req(2, string),
  name: req(1, string),
});
export interface MatchCondition extends Infer<typeof MatchCondition> {}

export const RuleWithOperations = struct('io.k8s.api.admissionregistration.v1.RuleWithOperations', '', {
  apiGroups: opt([2, 1], list(string, 'atomic')),
  apiVersions: opt([2, 2], list(string, 'atomic')),
  operations: opt(1, list(string, 'atomic')),
  resources: opt([2, 3], list(string, 'atomic')),
  scope: opt([2, 4], string, { default: '*' }),
});
export interface RuleWithOperations extends Infer<typeof RuleWithOperations> {}

export const WebhookServiceReference = struct('io.k8s.api.admissionregistration.v1.ServiceReference', '', {
  name: req(2, string),
  namespace: req(1, string),
  path: opt(3, string),
  port: opt(4, int32, { default: 443 }),
});
export interface WebhookServiceReference extends Infer<typeof WebhookServiceReference> {}

export const WebhookClientConfig = struct('io.k8s.api.admissionregistration.v1.WebhookClientConfig', '', {
  caBundle: opt(2, bytes),
  service: opt(1, WebhookServiceReference),
  url: opt(3, string),
});
export interface WebhookClientConfig extends Infer<typeof WebhookClientConfig> {}
