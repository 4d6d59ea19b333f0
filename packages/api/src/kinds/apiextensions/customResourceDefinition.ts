import { defineKind } from '../../kind.ts';
import { objectFields } from '../../meta.ts';
import { boolean, bytes, type Infer, int32, int64, list, opt, req, string, struct, time } from '../../schema.ts';
import { CustomResourceDefinitionVersion } from './customResourceVersion.ts';

export const CustomResourceDefinitionNames = struct(
  'io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.CustomResourceDefinitionNames',
  'Names of a kind in the API.',
  {
    categories: opt(6, list(string, 'atomic'), 'Categories that the kind belongs to, such as all.'),
    kind: req(4, string, 'Name of the kind, in CamelCase.'),
    listKind: opt(5, string, "Name of the kind's list. Defaults to the kind followed by List."),
    plural: req(1, string, 'Plural name, as used in URLs.'),
    shortNames: opt(3, list(string, 'atomic'), 'Short names for kubectl.'),
    singular: opt(2, string, 'Singular name, in lower case.'),
  },
);
export interface CustomResourceDefinitionNames extends Infer<typeof CustomResourceDefinitionNames> {}

export const ConversionServiceReference = struct(
  'io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.ServiceReference',
  'Refers to the Service of a conversion webhook.',
  {
    name: req(2, string, 'Name of the service.'),
    namespace: req(1, string, 'Namespace of the service.'),
    path: opt(3, string, { pointer: true, doc: 'Path of the request.' }),
    port: opt(4, int32, { default: 443, pointer: true, doc: 'Port of the Service. Defaults to 443.' }),
  },
);
export interface ConversionServiceReference extends Infer<typeof ConversionServiceReference> {}

export const ConversionClientConfig = struct(
  'io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.WebhookClientConfig',
  'How the API server calls a conversion webhook. Set service or url.',
  {
    caBundle: opt(2, bytes, "CA bundle that the webhook's certificate is verified with."),
    service: opt(1, ConversionServiceReference, 'A service in the cluster.'),
    url: opt(3, string, { pointer: true, doc: 'URL of the webhook, instead of a Service.' }),
  },
);
export interface ConversionClientConfig extends Infer<typeof ConversionClientConfig> {}

export const WebhookConversion = struct(
  'io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.WebhookConversion',
  'A webhook that converts objects between versions.',
  {
    clientConfig: opt(2, ConversionClientConfig, 'How the API server calls the webhook.'),
    conversionReviewVersions: req(3, list(string, 'atomic'), 'Versions of ConversionReview that it understands.'),
  },
);
export interface WebhookConversion extends Infer<typeof WebhookConversion> {}

export const CustomResourceConversion = struct(
  'io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.CustomResourceConversion',
  'How objects are converted between versions.',
  {
    strategy: req(1, string, 'None, which changes apiVersion only, or Webhook.'),
    webhook: opt(2, WebhookConversion, 'How the webhook is called.'),
  },
);
export interface CustomResourceConversion extends Infer<typeof CustomResourceConversion> {}

export const CustomResourceDefinitionSpec = struct(
  'io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.CustomResourceDefinitionSpec',
  'Names, scope and versions of a custom kind.',
  {
    conversion: opt(9, CustomResourceConversion, 'How objects pass between versions.'),
    group: req(1, string, 'API group of the kind.'),
    names: req(3, CustomResourceDefinitionNames, 'Names of the kind in the API.'),
    preserveUnknownFields: opt(10, boolean, 'No longer allowed to be true.'),
    scope: req(4, string, 'Scope of the kind: Namespaced or Cluster.'),
    versions: req(7, list(CustomResourceDefinitionVersion, 'atomic'), 'Versions in which the kind is served.'),
  },
);
export interface CustomResourceDefinitionSpec extends Infer<typeof CustomResourceDefinitionSpec> {}

export const CustomResourceDefinitionCondition = struct(
  'io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.CustomResourceDefinitionCondition',
  'A condition of a definition, such as Established.',
  {
    lastTransitionTime: opt(3, time, 'When the status of the condition last changed.'),
    message: opt(5, string, 'Human-readable details about the last transition.'),
    observedGeneration: opt(6, int64, 'The generation that the condition speaks of.'),
    reason: opt(4, string, 'Reason for the last transition as one CamelCase word.'),
    status: req(2, string, 'Whether the condition holds: True, False or Unknown.'),
    type: req(1, string, 'Name of the condition, such as Ready.'),
  },
);
export interface CustomResourceDefinitionCondition extends Infer<typeof CustomResourceDefinitionCondition> {}

export const CustomResourceDefinitionStatus = struct(
  'io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.CustomResourceDefinitionStatus',
  'Observed state of a CustomResourceDefinition.',
  {
    acceptedNames: opt(2, CustomResourceDefinitionNames, 'Names under which the kind is served.'),
    conditions: opt(1, list(CustomResourceDefinitionCondition, ['type']), 'Conditions of the object.'),
    observedGeneration: opt(4, int64, 'The generation that this was observed at.'),
    storedVersions: opt(3, list(string, 'atomic'), 'Versions that objects may be stored in.'),
  },
);
export interface CustomResourceDefinitionStatus extends Infer<typeof CustomResourceDefinitionStatus> {}

export const CustomResourceDefinitionSchema = struct(
  'io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.CustomResourceDefinition',
  'Adds a custom kind to the API.',
  {
    ...objectFields,
    spec: req(2, CustomResourceDefinitionSpec, 'Desired state of the CustomResourceDefinition.'),
    status: opt(
      3,
      CustomResourceDefinitionStatus,
      'Observed state of the CustomResourceDefinition. The system writes it.',
    ),
  },
);
export interface CustomResourceDefinition extends Infer<typeof CustomResourceDefinitionSchema> {}

export const CustomResourceDefinition = defineKind<CustomResourceDefinition>({
  group: 'apiextensions.k8s.io',
  version: 'v1',
  kind: 'CustomResourceDefinition',
  plural: 'customresourcedefinitions',
  namespaced: false,
  shortNames: ['crd', 'crds'],
  categories: ['api-extensions'],
  schema: CustomResourceDefinitionSchema,
  columns: [
    {
      name: 'Created At',
      type: 'date',
      description: 'Time at which the object was created.',
      value: ({ metadata }) => metadata.creationTimestamp,
    },
  ],
  applyDefaults: ({ spec }) => {
    if (!spec) return;
    spec.conversion ??= { strategy: 'None' };
    const { names } = spec;
    if (!names?.kind) return;
    names.singular ||= names.kind.toLowerCase();
    names.listKind ||= `${names.kind}List`;
  },
});
