import { defineKind } from '../../kind.ts';
import { objectFields } from '../../meta.ts';
import { boolean, bytes, type Infer, int32, int64, list, opt, req, string, struct, time } from '../../schema.ts';
import { CustomResourceDefinitionVersion } from './customResourceVersion.ts';

export const CustomResourceDefinitionNames = struct(
  'io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.CustomResourceDefinitionNames',
  '',
  {
    categories: opt(6, list(string, 'atomic')),
    kind: req(4, string),
    listKind: opt(5, string),
    plural: req(1, string),
    shortNames: opt(3, list(string, 'atomic')),
    singular: opt(2, string),
  },
);
export interface CustomResourceDefinitionNames extends Infer<typeof CustomResourceDefinitionNames> {}

export const ConversionServiceReference = struct(
  'io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.ServiceReference',
  '',
  {
    name: req(2, string),
    namespace: req(1, string),
    path: opt(3, string),
    port: opt(4, int32, { default: 443 }),
  },
);
export interface ConversionServiceReference extends Infer<typeof ConversionServiceReference> {}

export const ConversionClientConfig = struct(
  'io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.WebhookClientConfig',
  '',
  {
    caBundle: opt(2, bytes),
    service: opt(1, ConversionServiceReference),
    url: opt(3, string),
  },
);
export interface ConversionClientConfig extends Infer<typeof ConversionClientConfig> {}

export const WebhookConversion = struct(
  'io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.WebhookConversion',
  '',
  {
    clientConfig: opt(2, ConversionClientConfig),
    conversionReviewVersions: req(3, list(string, 'atomic')),
  },
);
export interface WebhookConversion extends Infer<typeof WebhookConversion> {}

export const CustomResourceConversion = struct(
  'io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.CustomResourceConversion',
  '',
  {
    strategy: req(1, string),
    webhook: opt(2, WebhookConversion),
  },
);
export interface CustomResourceConversion extends Infer<typeof CustomResourceConversion> {}

export const CustomResourceDefinitionSpec = struct(
  'io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.CustomResourceDefinitionSpec',
  '',
  {
    conversion: opt(9, CustomResourceConversion),
    group: req(1, string),
    names: req(3, CustomResourceDefinitionNames),
    preserveUnknownFields: opt(10, boolean),
    scope: req(4, string),
    versions: req(7, list(CustomResourceDefinitionVersion, 'atomic')),
  },
);
export interface CustomResourceDefinitionSpec extends Infer<typeof CustomResourceDefinitionSpec> {}

export const CustomResourceDefinitionCondition = struct(
  'io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.CustomResourceDefinitionCondition',
  '',
  {
    lastTransitionTime: opt(3, time),
    message: opt(5, string),
    observedGeneration: opt(6, int64),
    reason: opt(4, string),
    status: req(2, string),
    type: req(1, string),
  },
);
export interface CustomResourceDefinitionCondition extends Infer<typeof CustomResourceDefinitionCondition> {}

export const CustomResourceDefinitionStatus = struct(
  'io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.CustomResourceDefinitionStatus',
  '',
  {
    acceptedNames: opt(2, CustomResourceDefinitionNames),
    conditions: opt(1, list(CustomResourceDefinitionCondition, ['type'])),
    observedGeneration: opt(4, int64),
    storedVersions: opt(3, list(string, 'atomic')),
  },
);
export interface CustomResourceDefinitionStatus extends Infer<typeof CustomResourceDefinitionStatus> {}

export const CustomResourceDefinitionSchema = struct(
  'io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.CustomResourceDefinition',
  '',
  {
    ...objectFields,
    spec: req(2, CustomResourceDefinitionSpec),
    status: opt(3, CustomResourceDefinitionStatus),
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
      description: 'When the object was made.',
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
