import { type Infer, int32, int64, list, opt, req, string, struct, time } from '../../schema.ts';
import { LabelSelector } from '../meta/selectors.ts';

export const Taint = struct('io.k8s.api.core.v1.Taint', 'Keeps pods away from a node unless they tolerate it.', {
  effect: req(3, string, 'NoSchedule, PreferNoSchedule or NoExecute.'),
  key: req(1, string, 'Key of the taint.'),
  timeAdded: opt(4, time, 'When it was added.'),
  value: opt(2, string, 'Value of the taint.'),
});
export interface Taint extends Infer<typeof Taint> {}

export const Toleration = struct('io.k8s.api.core.v1.Toleration', 'A taint that a pod puts up with.', {
  effect: opt(4, string, 'Effect that is tolerated; all when empty.'),
  key: opt(1, string, 'Taint key; all when empty.'),
  operator: opt(2, string, 'Equal, Exists, and for numbers Lt and Gt.'),
  tolerationSeconds: opt(5, int64, {
    pointer: true,
    doc: 'How long a NoExecute taint is tolerated; for ever when empty.',
  }),
  value: opt(3, string, 'Taint value, for Equal.'),
});
export interface Toleration extends Infer<typeof Toleration> {}

export const TopologySpreadConstraint = struct(
  'io.k8s.api.core.v1.TopologySpreadConstraint',
  'How evenly pods are spread.',
  {
    labelSelector: opt(4, LabelSelector, 'Which pods are counted.'),
    matchLabelKeys: opt(8, list(string, 'atomic'), "Labels whose value must be this pod's own."),
    maxSkew: req(1, int32, 'How uneven it may be.'),
    minDomains: opt(5, int32, { pointer: true, doc: 'How many places there should be at least.' }),
    nodeAffinityPolicy: opt(6, string, {
      pointer: true,
      doc: 'Whether node affinity limits the places: Honor or Ignore.',
    }),
    nodeTaintsPolicy: opt(7, string, { pointer: true, doc: 'Whether taints limit the places: Honor or Ignore.' }),
    topologyKey: req(2, string, 'Node label that tells the places apart.'),
    whenUnsatisfiable: req(3, string, 'DoNotSchedule or ScheduleAnyway.'),
  },
);
export interface TopologySpreadConstraint extends Infer<typeof TopologySpreadConstraint> {}

export const PodSchedulingGate = struct(
  'io.k8s.api.core.v1.PodSchedulingGate',
  'Holds a pod back from being scheduled.',
  {
    name: req(1, string, 'Name of the gate.'),
  },
);
export interface PodSchedulingGate extends Infer<typeof PodSchedulingGate> {}

export const PodSchedulingGroup = struct(
  'io.k8s.api.core.v1.PodSchedulingGroup',
  'The group that a pod is scheduled with.',
  {
    podGroupName: opt(1, string, { pointer: true, doc: 'Name of the group.' }),
  },
);
export interface PodSchedulingGroup extends Infer<typeof PodSchedulingGroup> {}
