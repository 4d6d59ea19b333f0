import { type Infer, int32, list, opt, req, string, struct } from '../../schema.ts';

export const NodeSelectorRequirement = struct(
  'io.k8s.api.core.v1.NodeSelectorRequirement',
  'A requirement on a label or field of a node.',
  {
    key: req(1, string, 'Name of the label or field.'),
    operator: req(2, string, 'How key and values relate: In, NotIn, Exists, DoesNotExist, and for nodes Gt and Lt.'),
    values: opt(3, list(string, 'atomic'), 'The values to compare with; empty for Exists and DoesNotExist.'),
  },
);
export interface NodeSelectorRequirement extends Infer<typeof NodeSelectorRequirement> {}

export const NodeSelectorTerm = struct(
  'io.k8s.api.core.v1.NodeSelectorTerm',
  'Requirements that a node must all meet.',
  {
    matchExpressions: opt(1, list(NodeSelectorRequirement, 'atomic'), 'Requirements on labels of the node.'),
    matchFields: opt(
      2,
      list(NodeSelectorRequirement, 'atomic'),
      'Requirements on fields of the node. Only metadata.name is supported.',
    ),
  },
  { mapType: 'atomic' },
);
export interface NodeSelectorTerm extends Infer<typeof NodeSelectorTerm> {}

export const NodeSelector = struct(
  'io.k8s.api.core.v1.NodeSelector',
  'Selects nodes that match at least one term.',
  {
    nodeSelectorTerms: req(1, list(NodeSelectorTerm, 'atomic'), 'Terms of which at least one must match.'),
  },
  { mapType: 'atomic' },
);
export interface NodeSelector extends Infer<typeof NodeSelector> {}

export const PreferredSchedulingTerm = struct(
  'io.k8s.api.core.v1.PreferredSchedulingTerm',
  'A preference for nodes, with its weight.',
  {
    preference: req(2, NodeSelectorTerm, 'The nodes that the preference is about.'),
    weight: req(1, int32, 'Weight of the preference, from 1 to 100.'),
  },
);
export interface PreferredSchedulingTerm extends Infer<typeof PreferredSchedulingTerm> {}

export const TopologySelectorLabelRequirement = struct(
  'io.k8s.api.core.v1.TopologySelectorLabelRequirement',
  'A requirement on a topology label of a node.',
  {
    key: req(1, string, 'Name of the topology label.'),
    values: req(2, list(string, 'atomic'), 'Values of which the label must have one.'),
  },
);
export interface TopologySelectorLabelRequirement extends Infer<typeof TopologySelectorLabelRequirement> {}

export const TopologySelectorTerm = struct(
  'io.k8s.api.core.v1.TopologySelectorTerm',
  'Topologies in which volumes of a class may be provisioned.',
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
  'The nodes that can access a volume.',
  {
    required: opt(1, NodeSelector, 'Nodes that the volume can be accessed from.'),
  },
);
export interface VolumeNodeAffinity extends Infer<typeof VolumeNodeAffinity> {}
