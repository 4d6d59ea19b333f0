import { type Infer, list, map, opt, req, string, struct } from '../../schema.ts';

export const LabelSelectorRequirement = struct('io.k8s.apimachinery.pkg.apis.meta.v1.LabelSelectorRequirement', '', {
  key: req(1, string),
  operator: req(2, string),
  values: opt(3, list(string, 'atomic')),
});
export interface LabelSelectorRequirement extends Infer<typeof LabelSelectorRequirement> {}

export const LabelSelector = struct(
  'io.k8s.apimachinery.pkg.apis.meta.v1.LabelSelector',
  '',
  {
    matchExpressions: opt(2, list(LabelSelectorRequirement, 'atomic')),
    matchLabels: opt(1, map(string)),
  },
  { mapType: 'atomic' },
);
export interface LabelSelector extends Infer<typeof LabelSelector> {}

export const FieldSelectorRequirement = struct('io.k8s.apimachinery.pkg.apis.meta.v1.FieldSelectorRequirement', '', {
  key: req(1, string),
  operator: req(2, string),
  values: opt(3, list(string, 'atomic')),
});
export interface FieldSelectorRequirement extends Infer<typeof FieldSelectorRequirement> {}
