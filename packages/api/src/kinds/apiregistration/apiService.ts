import { defineKind } from '../../kind.ts';
import { objectFields } from '../../meta.ts';
import { boolean, bytes, type Infer, int32, list, opt, req, string, struct, time } from '../../schema.ts';
import { ageColumn } from '../columns.ts';

export const APIServiceReference = struct('io.k8s.kube-aggregator.pkg.apis.apiregistration.v1.ServiceReference', '', {
  name: opt(2, string),
  namespace: opt(1, string),
  port: opt(3, int32, { default: 443 }),
});
export interface APIServiceReference extends Infer<typeof APIServiceReference> {}

export const APIServiceSpec = struct('io.k8s.kube-aggregator.pkg.apis.apiregistration.v1.APIServiceSpec', '', {
  caBundle: opt(5, bytes),
  group: opt(2, string),
  groupPriorityMinimum: req(7, int32),
  insecureSkipTLSVerify: opt(4, boolean),
  service: opt(1, APIServiceReference),
  version: opt(3, string),
  versionPriority: req(8, int32),
});
export interface APIServiceSpec extends Infer<typeof APIServiceSpec> {}

export const APIServiceCondition = struct(
  'io.k8s.kube-aggregator.pkg.apis.apiregistration.v1.APIServiceCondition',
  '',
  {
    lastTransitionTime: opt(3, time),
    message: opt(5, string),
    reason: opt(4, string),
    status: req(2, string),
    type: req(1, string),
  },
);
export interface APIServiceCondition extends Infer<typeof APIServiceCondition> {}

export const APIServiceStatus = struct('io.k8s.kube-aggregator.pkg.apis.apiregistration.v1.APIServiceStatus', '', {
  conditions: opt(1, list(APIServiceCondition, ['type']), { patch: 'merge', key: 'type' }),
});
export interface APIServiceStatus extends Infer<typeof APIServiceStatus> {}

export const APIServiceSchema = struct('io.k8s.kube-aggregator.pkg.apis.apiregistration.v1.APIService', '', {
  ...objectFields,
  spec: opt(2, APIServiceSpec),
  status: opt(3, APIServiceStatus),
});
export interface APIService extends Infer<typeof APIServiceSchema> {}

/** `True`, or `False (why)`. */
function availability({ status }: APIService): string {
  const available = status?.conditions?.find(({ type }) => type === 'Available');
  if (!available) return 'Unknown';
  return available.status === 'True' || !available.reason
    ? available.status
    : `${available.status} (${available.reason})`;
}

export const APIService = defineKind<APIService>({
  group: 'apiregistration.k8s.io',
  version: 'v1',
  kind: 'APIService',
  plural: 'apiservices',
  namespaced: false,
  categories: ['api-extensions'],
  schema: APIServiceSchema,
  generation: false,
  columns: [
    {
      name: 'Service',
      type: 'string',
      description: 'Who answers for the group and version.',
      value: ({ spec }) => (spec?.service ? `${spec.service.namespace}/${spec.service.name}` : 'Local'),
    },
    { name: 'Available', type: 'string', description: 'Whether it answers.', value: availability },
    ageColumn,
  ],
});
