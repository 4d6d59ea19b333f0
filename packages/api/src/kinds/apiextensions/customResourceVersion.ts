import { boolean, type Infer, int32, list, opt, req, string, struct } from '../../schema.ts';
import { JSONSchemaProps } from './jsonSchemaProps.ts';

export const CustomResourceColumnDefinition = struct(
  'io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.CustomResourceColumnDefinition',
  'One column of kubectl get.',
  {
    description: opt(4, string, 'What the column shows.'),
    format: opt(3, string, 'How the value is written.'),
    jsonPath: req(6, string, 'Where the value is.'),
    name: req(1, string, 'Heading of the column.'),
    priority: opt(5, int32, 'Above 0: shown with -o wide only.'),
    type: req(2, string, 'integer, number, string, boolean or date.'),
  },
);
export interface CustomResourceColumnDefinition extends Infer<typeof CustomResourceColumnDefinition> {}

export const CustomResourceSubresourceScale = struct(
  'io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.CustomResourceSubresourceScale',
  'Where /scale finds its numbers.',
  {
    labelSelectorPath: opt(3, string, { pointer: true, doc: 'Where the selector is.' }),
    specReplicasPath: req(1, string, 'Where the wanted number is.'),
    statusReplicasPath: req(2, string, 'Where the current number is.'),
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
  'Subresources of a kind.',
  {
    scale: opt(2, CustomResourceSubresourceScale, 'Turns on /scale.'),
    status: opt(1, CustomResourceSubresourceStatus, 'Turns on /status.'),
  },
);
export interface CustomResourceSubresources extends Infer<typeof CustomResourceSubresources> {}

export const CustomResourceValidation = struct(
  'io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.CustomResourceValidation',
  'How objects are checked.',
  {
    openAPIV3Schema: opt(1, JSONSchemaProps, 'The schema.'),
  },
);
export interface CustomResourceValidation extends Infer<typeof CustomResourceValidation> {}

export const SelectableField = struct(
  'io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.SelectableField',
  'A field to select objects by.',
  {
    jsonPath: req(1, string, 'Where the field is.'),
  },
);
export interface SelectableField extends Infer<typeof SelectableField> {}

export const CustomResourceDefinitionVersion = struct(
  'io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.CustomResourceDefinitionVersion',
  'One version of a kind.',
  {
    additionalPrinterColumns: opt(6, list(CustomResourceColumnDefinition, 'atomic'), 'Columns of kubectl get.'),
    deprecated: opt(7, boolean, 'Whether clients are warned.'),
    deprecationWarning: opt(8, string, { pointer: true, doc: 'What the warning says.' }),
    name: req(1, string, 'Name of the version, such as v1.'),
    schema: opt(4, CustomResourceValidation, 'Schema of the objects.'),
    selectableFields: opt(9, list(SelectableField, 'atomic'), 'Fields to select objects by.'),
    served: req(2, boolean, 'Whether it is served.'),
    storage: req(3, boolean, 'Whether objects are stored in it; exactly one is.'),
    subresources: opt(5, CustomResourceSubresources, 'Subresources of the objects.'),
  },
);
export interface CustomResourceDefinitionVersion extends Infer<typeof CustomResourceDefinitionVersion> {}
