import { defineKind } from '../../kind.ts';
import { objectFields } from '../../meta.ts';
import { boolean, bytes, type Infer, int32, list, opt, req, string, struct, time } from '../../schema.ts';
import { ageColumn } from '../columns.ts';

export const APIServiceReference = struct(
  'io.k8s.kube-aggregator.pkg.apis.apiregistration.v1.ServiceReference',
  'The service that answers.',
  {
    name: opt(2, string, 'Name of the service.'),
    namespace: opt(1, string, 'Namespace of the service.'),
    port: opt(3, int32, { default: 443, pointer: true, doc: 'Port to call.' }),
  },
);
export interface APIServiceReference extends Infer<typeof APIServiceReference> {}

export const APIServiceSpec = struct(
  'io.k8s.kube-aggregator.pkg.apis.apiregistration.v1.APIServiceSpec',
  'Which group and version, and who.',
  {
    caBundle: opt(5, bytes, "Certificates that the server's own must be signed by."),
    group: opt(2, string, 'The group.'),
    groupPriorityMinimum: req(7, int32, 'Where the group stands among others.'),
    insecureSkipTLSVerify: opt(4, boolean, 'Whether its certificate is not checked.'),
    service: opt(1, APIServiceReference, 'The service; this server itself when missing.'),
    version: opt(3, string, 'The version.'),
    versionPriority: req(8, int32, 'Where the version stands within the group.'),
  },
);
export interface APIServiceSpec extends Infer<typeof APIServiceSpec> {}

export const APIServiceCondition = struct(
  'io.k8s.kube-aggregator.pkg.apis.apiregistration.v1.APIServiceCondition',
  'One observation about it.',
  {
    lastTransitionTime: opt(3, time, 'When the status of the condition last changed.'),
    message: opt(5, string, 'The same in words, for people.'),
    reason: opt(4, string, 'Why, in one CamelCase word.'),
    status: req(2, string, 'True, False or Unknown.'),
    type: req(1, string, 'What the condition is about.'),
  },
);
export interface APIServiceCondition extends Infer<typeof APIServiceCondition> {}

export const APIServiceStatus = struct(
  'io.k8s.kube-aggregator.pkg.apis.apiregistration.v1.APIServiceStatus',
  'Whether it answers.',
  {
    conditions: opt(1, list(APIServiceCondition, ['type']), {
      patch: 'merge',
      key: 'type',
      doc: 'Observations about the object, one a type.',
    }),
  },
);
export interface APIServiceStatus extends Infer<typeof APIServiceStatus> {}

export const APIServiceSchema = struct(
  'io.k8s.kube-aggregator.pkg.apis.apiregistration.v1.APIService',
  'Says who answers for a group and version.',
  {
    ...objectFields,
    spec: opt(2, APIServiceSpec, 'Desired state of the APIService.'),
    status: opt(3, APIServiceStatus, 'Observed state of the APIService. The system writes it.'),
  },
);
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
