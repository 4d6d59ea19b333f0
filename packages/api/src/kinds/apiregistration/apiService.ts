import { conditionOf } from '../../conditions.ts';
import { defineKind } from '../../kind.ts';
import { objectFields } from '../../meta.ts';
import { boolean, bytes, type Infer, int32, list, opt, req, string, struct, time } from '../../schema.ts';
import { ageColumn } from '../columns.ts';

export const APIServiceReference = struct(
  'io.k8s.kube-aggregator.pkg.apis.apiregistration.v1.ServiceReference',
  'Refers to the Service of an extension API server.',
  {
    name: opt(2, string, 'Name of the service.'),
    namespace: opt(1, string, 'Namespace of the service.'),
    port: opt(3, int32, { default: 443, pointer: true, doc: 'Port of the Service. Defaults to 443.' }),
  },
);
export interface APIServiceReference extends Infer<typeof APIServiceReference> {}

export const APIServiceSpec = struct(
  'io.k8s.kube-aggregator.pkg.apis.apiregistration.v1.APIServiceSpec',
  'Group and version of an API, and who serves it.',
  {
    caBundle: opt(5, bytes, "Certificates that the server's own must be signed by."),
    group: opt(2, string, 'Name of the API group.'),
    groupPriorityMinimum: req(7, int32, 'Priority of the group among others. A higher number comes first.'),
    insecureSkipTLSVerify: opt(4, boolean, 'Whether its certificate is not checked.'),
    service: opt(1, APIServiceReference, 'Service that serves the API. If missing, this server serves it.'),
    version: opt(3, string, 'Name of the API version.'),
    versionPriority: req(8, int32, 'Priority of the version within its group. A higher number comes first.'),
  },
);
export interface APIServiceSpec extends Infer<typeof APIServiceSpec> {}

export const APIServiceCondition = struct(
  'io.k8s.kube-aggregator.pkg.apis.apiregistration.v1.APIServiceCondition',
  'A condition of an APIService, such as Available.',
  {
    lastTransitionTime: opt(3, time, 'When the status of the condition last changed.'),
    message: opt(5, string, 'Human-readable details about the last transition.'),
    reason: opt(4, string, 'Reason for the last transition as one CamelCase word.'),
    status: req(2, string, 'Whether the condition holds: True, False or Unknown.'),
    type: req(1, string, 'Name of the condition, such as Ready.'),
  },
);
export interface APIServiceCondition extends Infer<typeof APIServiceCondition> {}

export const APIServiceStatus = struct(
  'io.k8s.kube-aggregator.pkg.apis.apiregistration.v1.APIServiceStatus',
  'Observed state of an APIService.',
  {
    conditions: opt(1, list(APIServiceCondition, ['type']), {
      patch: 'merge',
      key: 'type',
      doc: 'Conditions of the object.',
    }),
  },
);
export interface APIServiceStatus extends Infer<typeof APIServiceStatus> {}

export const APIServiceSchema = struct(
  'io.k8s.kube-aggregator.pkg.apis.apiregistration.v1.APIService',
  'Registers who serves a group and version of the API.',
  {
    ...objectFields,
    spec: opt(2, APIServiceSpec, 'Desired state of the APIService.'),
    status: opt(3, APIServiceStatus, 'Observed state of the APIService. The system writes it.'),
  },
);
export interface APIService extends Infer<typeof APIServiceSchema> {}

/** `True`, or `False (why)`. */
function availability(apiService: APIService): string {
  const available = conditionOf(apiService, 'Available');
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
      description: 'Service that serves the group and version.',
      value: ({ spec }) => (spec?.service ? `${spec.service.namespace}/${spec.service.name}` : 'Local'),
    },
    { name: 'Available', type: 'string', description: 'Whether the API can be reached.', value: availability },
    ageColumn,
  ],
});
