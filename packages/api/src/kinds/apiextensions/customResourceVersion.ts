import { boolean, type Infer, int32, list, opt, req, string, struct } from '../../schema.ts';
import { JSONSchemaProps } from './jsonSchemaProps.ts';

export const CustomResourceColumnDefinition = struct(
  'io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.CustomResourceColumnDefinition',
  '',
  {
    description: opt(4, string),
    format: opt(3, string),
    jsonPath: req(6, string),
    name: req(1, string),
    priority: opt(5, int32),
    type: req(2, string),
  },
);
export interface CustomResourceColumnDefinition extends Infer<typeof CustomResourceColumnDefinition> {}

export const CustomResourceSubresourceScale = struct(
  'io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.CustomResourceSubresourceScale',
  '',
  {
    labelSelectorPath: opt(3, string),
    specReplicasPath: req(1, string),
    statusReplicasPath: req(2, string),
  },
);
export interface CustomResourceSubresourceScale extends Infer<typeof CustomResourceSubresourceScale> {}

export const CustomResourceSubresourceStatus = struct(
  'io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.CustomResourceSubresourceStatus',
  'Turns on /status; it has no options.',
  {},
);

export const CustomResourceSubresources = struct(
  'io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.CustomResourceSubresources',
  '',
  {
    scale: opt(2, CustomResourceSubresourceScale),
    status: opt(1, CustomResourceSubresourceStatus),
  },
);
export interface CustomResourceSubresources extends Infer<typeof CustomResourceSubresources> {}

export const CustomResourceValidation = struct(
  'io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.CustomResourceValidation',
  '',
  {
    openAPIV3Schema: opt(1, JSONSchemaProps),
  },
);
export interface CustomResourceValidation extends Infer<typeof CustomResourceValidation> {}

export const SelectableField = struct('io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.SelectableField', '', {
  jsonPath: req(1, string),
});
export interface SelectableField extends Infer<typeof SelectableField> {}

export const CustomResourceDefinitionVersion = struct(
  'io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.CustomResourceDefinitionVersion',
  '',
  {
    additionalPrinterColumns: opt(6, list(CustomResourceColumnDefinition, 'atomic')),
    deprecated: opt(7, boolean),
    deprecationWarning: opt(8, string),
    name: req(1, string),
    schema: opt(4, CustomResourceValidation),
    selectableFields: opt(9, list(SelectableField, 'atomic')),
    served: req(2, boolean),
    storage: req(3, boolean),
    subresources: opt(5, CustomResourceSubresources),
  },
);
export interface CustomResourceDefinitionVersion extends Infer<typeof CustomResourceDefinitionVersion> {}
