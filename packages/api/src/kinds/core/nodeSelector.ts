import { type Infer, int32, list, opt, req, string, struct } from '../../schema.ts';

export const NodeSelectorRequirement = struct('io.k8s.api.core.v1.NodeSelectorRequirement', '', {
  key: req(1, string),
  operator: req(2, string),
  values: opt(3, list(string, 'atomic')),
});
export interface NodeSelectorRequirement extends Infer<typeof NodeSelectorRequirement> {}

export const NodeSelectorTerm = struct(
  'io.k8s.api.core.v1.NodeSelectorTerm',
  '',
  {
    matchExpressions: opt(1, list(NodeSelectorRequirement, 'atomic')),
    matchFields: opt(2, list(NodeSelectorRequirement, 'atomic')),
  },
  { mapType: 'atomic' },
);
export interface NodeSelectorTerm extends Infer<typeof NodeSelectorTerm> {}

export const NodeSelector = struct(
  'io.k8s.api.core.v1.NodeSelector',
  '',
  {
    nodeSelectorTerms: req(1, list(NodeSelectorTerm, 'atomic')),
  },
  { mapType: 'atomic' },
);
export interface NodeSelector extends Infer<typeof NodeSelector> {}

export const PreferredSchedulingTerm = struct('io.k8s.api.core.v1.PreferredSchedulingTerm', '', {
  preference: req(2, NodeSelectorTerm),
  weight: req(1, int32),
});
export interface PreferredSchedulingTerm extends Infer<typeof PreferredSchedulingTerm> {}

export const TopologySelectorLabelRequirement = struct('io.k8s.api.core.v1.TopologySelectorLabelRequirement', '', {
  key: req(1, string),
  values: req(2, list(string, 'atomic')),
});
export interface TopologySelectorLabelRequirement extends Infer<typeof TopologySelectorLabelRequirement> {}

export const TopologySelectorTerm = struct(
  'io.k8s.api.core.v1.TopologySelectorTerm',
  '',
  {
    matchLabelExpressions: opt(1, list(TopologySelectorLabelRequirement, 'atomic')),
  },
  { mapType: 'atomic' },
);
export interface TopologySelectorTerm extends Infer<typeof TopologySelectorTerm> {}

export const VolumeNodeAffinity = struct('io.k8s.api.core.v1.VolumeNodeAffinity', '', {
  required: opt(1, NodeSelector),
});
export interface VolumeNodeAffinity extends Infer<typeof VolumeNodeAffinity> {}
