import { type Infer, int32, int64, list, opt, req, string, struct, time } from '../../schema.ts';
import { LabelSelector } from '../meta/selectors.ts';

export const Taint = struct('io.k8s.api.core.v1.Taint', 'Keeps pods that do not tolerate it away from a node.', {
  effect: req(3, string, 'Effect on pods that do not tolerate it: NoSchedule, PreferNoSchedule or NoExecute.'),
  key: req(1, string, 'Key of the taint.'),
  timeAdded: opt(4, time, 'Time at which the taint was added.'),
  value: opt(2, string, 'Value of the taint.'),
});
export interface Taint extends Infer<typeof Taint> {}

export const Toleration = struct('io.k8s.api.core.v1.Toleration', 'Lets a pod run on nodes with a matching taint.', {
  effect: opt(4, string, 'Effect that is tolerated. If empty, all effects match.'),
  key: opt(1, string, 'Key of the taint. If empty, all keys match.'),
  operator: opt(2, string, 'Equal, Exists, and for numbers Lt and Gt.'),
  tolerationSeconds: opt(5, int64, {
    pointer: true,
    doc: 'Seconds for which a NoExecute taint is tolerated. If missing, forever.',
  }),
  value: opt(3, string, 'Value of the taint, for the operator Equal.'),
});
export interface Toleration extends Infer<typeof Toleration> {}

export const TopologySpreadConstraint = struct(
  'io.k8s.api.core.v1.TopologySpreadConstraint',
  'How evenly pods are spread over a topology.',
  {
    labelSelector: opt(4, LabelSelector, 'Selects the pods that are counted.'),
    matchLabelKeys: opt(8, list(string, 'atomic'), "Labels whose value must be this pod's own."),
    maxSkew: req(1, int32, 'Maximum difference between the numbers of pods in two domains.'),
    minDomains: opt(5, int32, { pointer: true, doc: 'Minimum number of topology domains.' }),
    nodeAffinityPolicy: opt(6, string, {
      pointer: true,
      doc: 'Whether node affinity limits the places: Honor or Ignore.',
    }),
    nodeTaintsPolicy: opt(7, string, { pointer: true, doc: 'Whether taints limit the places: Honor or Ignore.' }),
    topologyKey: req(2, string, 'Node label that tells the places apart.'),
    whenUnsatisfiable: req(3, string, 'What happens if the constraint cannot be met: DoNotSchedule or ScheduleAnyway.'),
  },
);
export interface TopologySpreadConstraint extends Infer<typeof TopologySpreadConstraint> {}

export const PodSchedulingGate = struct(
  'io.k8s.api.core.v1.PodSchedulingGate',
  'Keeps a pod from being scheduled until it is removed.',
  {
    name: req(1, string, 'Name of the gate.'),
  },
);
export interface PodSchedulingGate extends Infer<typeof PodSchedulingGate> {}

export const PodSchedulingGroup = struct(
  'io.k8s.api.core.v1.PodSchedulingGroup',
  'Group of pods that are scheduled together.',
  {
    podGroupName: opt(1, string, { pointer: true, doc: 'Name of the group.' }),
  },
);
export interface PodSchedulingGroup extends Infer<typeof PodSchedulingGroup> {}
