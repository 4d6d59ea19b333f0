import { boolean, type Infer, int32, list, opt, req, string, struct } from '../../schema.ts';
import { JSONSchemaProps } from './jsonSchemaProps.ts';

export const CustomResourceColumnDefinition = struct(
  'io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.CustomResourceColumnDefinition',
  'A column of kubectl get.',
  {
    description: opt(4, string, 'What the column shows.'),
    format: opt(3, string, 'How the value is written.'),
    jsonPath: req(6, string, 'JSON path of the value.'),
    name: req(1, string, 'Heading of the column.'),
    priority: opt(5, int32, 'Above 0: shown with -o wide only.'),
    type: req(2, string, 'Type of the values: integer, number, string, boolean or date.'),
  },
);
export interface CustomResourceColumnDefinition extends Infer<typeof CustomResourceColumnDefinition> {}

export const CustomResourceSubresourceScale = struct(
  'io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.CustomResourceSubresourceScale',
  'Fields that the scale subresource uses.',
  {
    labelSelectorPath: opt(3, string, { pointer: true, doc: 'JSON path of the label selector.' }),
    specReplicasPath: req(1, string, 'JSON path of the desired number of replicas, below .spec.'),
    statusReplicasPath: req(2, string, 'JSON path of the current number of replicas, below .status.'),
  },
);
export interface CustomResourceSubresourceScale extends Infer<typeof CustomResourceSubresourceScale> {}

export const CustomResourceSubresourceStatus = struct(
  'io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.CustomResourceSubresourceStatus',
  'Enables the status subresource. It has no options.',
  {},
);

export const CustomResourceSubresources = struct(
  'io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.CustomResourceSubresources',
  'Subresources of a custom kind.',
  {
    scale: opt(2, CustomResourceSubresourceScale, 'Enables the scale subresource.'),
    status: opt(1, CustomResourceSubresourceStatus, 'Enables the status subresource.'),
  },
);
export interface CustomResourceSubresources extends Infer<typeof CustomResourceSubresources> {}

export const CustomResourceValidation = struct(
  'io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.CustomResourceValidation',
  'Schema that objects are validated against.',
  {
    openAPIV3Schema: opt(1, JSONSchemaProps, 'Schema of the objects in OpenAPI v3.'),
  },
);
export interface CustomResourceValidation extends Infer<typeof CustomResourceValidation> {}

export const SelectableField = struct(
  'io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.SelectableField',
  'A field that field selectors can use.',
  {
    jsonPath: req(1, string, 'JSON path of the field.'),
  },
);
export interface SelectableField extends Infer<typeof SelectableField> {}

export const CustomResourceDefinitionVersion = struct(
  'io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.CustomResourceDefinitionVersion',
  'A version of a custom kind.',
  {
    additionalPrinterColumns: opt(6, list(CustomResourceColumnDefinition, 'atomic'), 'Columns of kubectl get.'),
    deprecated: opt(7, boolean, 'Whether the version is deprecated. Clients get a warning.'),
    deprecationWarning: opt(8, string, { pointer: true, doc: 'Text of the warning, instead of the default.' }),
    name: req(1, string, 'Name of the version, such as v1.'),
    schema: opt(4, CustomResourceValidation, 'Schema that objects of the version are validated against.'),
    selectableFields: opt(9, list(SelectableField, 'atomic'), 'Fields to select objects by.'),
    served: req(2, boolean, 'Whether the API serves the version.'),
    storage: req(3, boolean, 'Whether objects are stored in it; exactly one is.'),
    subresources: opt(5, CustomResourceSubresources, 'Subresources that objects of the version have.'),
  },
);
export interface CustomResourceDefinitionVersion extends Infer<typeof CustomResourceDefinitionVersion> {}
