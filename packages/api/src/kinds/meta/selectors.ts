import { type Infer, list, map, opt, req, string, struct } from '../../schema.ts';

export const LabelSelectorRequirement = struct(
  'io.k8s.apimachinery.pkg.apis.meta.v1.LabelSelectorRequirement',
  'A requirement on a label.',
  {
    key: req(1, string, 'Key of the label.'),
    operator: req(2, string, 'In, NotIn, Exists or DoesNotExist.'),
    values: opt(3, list(string, 'atomic'), 'The values to compare with; empty for Exists and DoesNotExist.'),
  },
);
export interface LabelSelectorRequirement extends Infer<typeof LabelSelectorRequirement> {}

export const LabelSelector = struct(
  'io.k8s.apimachinery.pkg.apis.meta.v1.LabelSelector',
  'Selects objects by their labels. An empty one selects all, a missing one none.',
  {
    matchExpressions: opt(2, list(LabelSelectorRequirement, 'atomic'), 'Requirements that all must hold.'),
    matchLabels: opt(1, map(string), 'Labels with the values that they must have.'),
  },
  { mapType: 'atomic' },
);
export interface LabelSelector extends Infer<typeof LabelSelector> {}

export const FieldSelectorRequirement = struct(
  'io.k8s.apimachinery.pkg.apis.meta.v1.FieldSelectorRequirement',
  'A requirement on a field.',
  {
    key: req(1, string, 'Path of the field.'),
    operator: req(2, string, 'In, NotIn, Exists or DoesNotExist.'),
    values: opt(3, list(string, 'atomic'), 'The values to compare with; empty for Exists and DoesNotExist.'),
  },
);
export interface FieldSelectorRequirement extends Infer<typeof FieldSelectorRequirement> {}
