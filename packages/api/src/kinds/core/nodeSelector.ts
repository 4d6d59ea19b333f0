import { type Infer, int32, list, opt, req, string, struct } from '../../schema.ts';

export const NodeSelectorRequirement = struct(
  'io.k8s.api.core.v1.NodeSelectorRequirement',
  'One requirement on a node.',
  {
    key: req(1, string, 'Label or field.'),
    operator: req(2, string, 'How key and values relate: In, NotIn, Exists, DoesNotExist, and for nodes Gt and Lt.'),
    values: opt(3, list(string, 'atomic'), 'The values to compare with; empty for Exists and DoesNotExist.'),
  },
);
export interface NodeSelectorRequirement extends Infer<typeof NodeSelectorRequirement> {}

export const NodeSelectorTerm = struct(
  'io.k8s.api.core.v1.NodeSelectorTerm',
  'Requirements on a node that all must hold.',
  {
    matchExpressions: opt(1, list(NodeSelectorRequirement, 'atomic'), 'Requirements on its labels.'),
    matchFields: opt(2, list(NodeSelectorRequirement, 'atomic'), 'Requirements on its fields; metadata.name.'),
  },
  { mapType: 'atomic' },
);
export interface NodeSelectorTerm extends Infer<typeof NodeSelectorTerm> {}

export const NodeSelector = struct(
  'io.k8s.api.core.v1.NodeSelector',
  'Nodes that match any of some terms.',
  {
    nodeSelectorTerms: req(1, list(NodeSelectorTerm, 'atomic'), 'The terms; one must match.'),
  },
  { mapType: 'atomic' },
);
export interface NodeSelector extends Infer<typeof NodeSelector> {}

export const PreferredSchedulingTerm = struct(
  'io.k8s.api.core.v1.PreferredSchedulingTerm',
  'A kind of node that is liked, and how much.',
  {
    preference: req(2, NodeSelectorTerm, 'Which nodes.'),
    weight: req(1, int32, 'How much, from 1 to 100.'),
  },
);
export interface PreferredSchedulingTerm extends Infer<typeof PreferredSchedulingTerm> {}

export const TopologySelectorLabelRequirement = struct(
  'io.k8s.api.core.v1.TopologySelectorLabelRequirement',
  'One requirement on a place.',
  {
    key: req(1, string, 'Label of the place.'),
    values: req(2, list(string, 'atomic'), 'Values of which the label must have one.'),
  },
);
export interface TopologySelectorLabelRequirement extends Infer<typeof TopologySelectorLabelRequirement> {}

export const TopologySelectorTerm = struct(
  'io.k8s.api.core.v1.TopologySelectorTerm',
  'Where volumes of a class may be made.',
  {
    matchLabelExpressions: opt(
      1,
      list(TopologySelectorLabelRequirement, 'atomic'),
      'Requirements on labels of the place.',
    ),
  },
  { mapType: 'atomic' },
);
export interface TopologySelectorTerm extends Infer<typeof TopologySelectorTerm> {}

export const VolumeNodeAffinity = struct(
  'io.k8s.api.core.v1.VolumeNodeAffinity',
  'The nodes that can reach a volume.',
  {
    required: opt(1, NodeSelector, 'Which nodes.'),
  },
);
export interface VolumeNodeAffinity extends Infer<typeof VolumeNodeAffinity> {}
