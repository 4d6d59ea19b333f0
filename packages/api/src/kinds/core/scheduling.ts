import { type Infer, int32, int64, list, opt, req, string, struct, time } from '../../schema.ts';
import { LabelSelector } from '../meta/selectors.ts';

export const Taint = struct('io.k8s.api.core.v1.Taint', '', {
  effect: req(3, string),
  key: req(1, string),
  timeAdded: opt(4, time),
  value: opt(2, string),
});
export interface Taint extends Infer<typeof Taint> {}

export const Toleration = struct('io.k8s.api.core.v1.Toleration', '', {
  effect: opt(4, string),
  key: opt(1, string),
  operator: opt(2, string),
  tolerationSeconds: opt(5, int64),
  value: opt(3, string),
});
export interface Toleration extends Infer<typeof Toleration> {}

export const TopologySpreadConstraint = struct('io.k8s.api.core.v1.TopologySpreadConstraint', '', {
  labelSelector: opt(4, LabelSelector),
  matchLabelKeys: opt(8, list(string, 'atomic')),
  maxSkew: req(1, int32),
  minDomains: opt(5, int32),
  nodeAffinityPolicy: opt(6, string),
  nodeTaintsPolicy: opt(7, string),
  topologyKey: req(2, string),
  whenUnsatisfiable: req(3, string),
});
export interface TopologySpreadConstraint extends Infer<typeof TopologySpreadConstraint> {}

export const PodSchedulingGate = struct('io.k8s.api.core.v1.PodSchedulingGate', '', {
  name: req(1, string),
});
export interface PodSchedulingGate extends Infer<typeof PodSchedulingGate> {}

export const PodSchedulingGroup = struct('io.k8s.api.core.v1.PodSchedulingGroup', '', {
  podGroupName: opt(1, string),
});
export interface PodSchedulingGroup extends Infer<typeof PodSchedulingGroup> {}
