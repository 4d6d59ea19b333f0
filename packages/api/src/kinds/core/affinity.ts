import { type Infer, int32, list, opt, req, string, struct } from '../../schema.ts';
import { LabelSelector } from '../meta/selectors.ts';
import { NodeSelector, PreferredSchedulingTerm } from './nodeSelector.ts';

export const NodeAffinity = struct('io.k8s.api.core.v1.NodeAffinity', '', {
  preferredDuringSchedulingIgnoredDuringExecution: opt(2, list(PreferredSchedulingTerm, 'atomic')),
  requiredDuringSchedulingIgnoredDuringExecution: opt(1, NodeSelector),
});
export interface NodeAffinity extends Infer<typeof NodeAffinity> {}

export const PodAffinityTerm = struct('io.k8s.api.core.v1.PodAffinityTerm', '', {
  labelSelector: opt(1, LabelSelector),
  matchLabelKeys: opt(5, list(string, 'atomic')),
  mismatchLabelKeys: opt(6, list(string, 'atomic')),
  namespaceSelector: opt(4, LabelSelector),
  namespaces: opt(2, list(string, 'atomic')),
  topologyKey: req(3, string),
});
export interface PodAffinityTerm extends Infer<typeof PodAffinityTerm> {}

export const WeightedPodAffinityTerm = struct('io.k8s.api.core.v1.WeightedPodAffinityTerm', '', {
  podAffinityTerm: req(2, PodAffinityTerm),
  weight: req(1, int32),
});
export interface WeightedPodAffinityTerm extends Infer<typeof WeightedPodAffinityTerm> {}

export const PodAffinity = struct('io.k8s.api.core.v1.PodAffinity', '', {
  preferredDuringSchedulingIgnoredDuringExecution: opt(2, list(WeightedPodAffinityTerm, 'atomic')),
  requiredDuringSchedulingIgnoredDuringExecution: opt(1, list(PodAffinityTerm, 'atomic')),
});
export interface PodAffinity extends Infer<typeof PodAffinity> {}

export const PodAntiAffinity = struct('io.k8s.api.core.v1.PodAntiAffinity', '', {
  preferredDuringSchedulingIgnoredDuringExecution: opt(2, list(WeightedPodAffinityTerm, 'atomic')),
  requiredDuringSchedulingIgnoredDuringExecution: opt(1, list(PodAffinityTerm, 'atomic')),
});
export interface PodAntiAffinity extends Infer<typeof PodAntiAffinity> {}

export const Affinity = struct('io.k8s.api.core.v1.Affinity', '', {
  nodeAffinity: opt(1, NodeAffinity),
  podAffinity: opt(2, PodAffinity),
  podAntiAffinity: opt(3, PodAntiAffinity),
});
export interface Affinity extends Infer<typeof Affinity> {}
