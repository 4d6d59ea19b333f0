import { type Infer, int32, list, opt, req, string, struct } from '../../schema.ts';
import { LabelSelector } from '../meta/selectors.ts';
import { NodeSelector, PreferredSchedulingTerm } from './nodeSelector.ts';

export const NodeAffinity = struct('io.k8s.api.core.v1.NodeAffinity', 'Which nodes suit a pod.', {
  preferredDuringSchedulingIgnoredDuringExecution: opt(
    2,
    list(PreferredSchedulingTerm, 'atomic'),
    'Nodes that are liked.',
  ),
  requiredDuringSchedulingIgnoredDuringExecution: opt(1, NodeSelector, 'Nodes that are possible.'),
});
export interface NodeAffinity extends Infer<typeof NodeAffinity> {}

export const PodAffinityTerm = struct('io.k8s.api.core.v1.PodAffinityTerm', 'Pods, and what counts as near them.', {
  labelSelector: opt(1, LabelSelector, 'Which pods.'),
  matchLabelKeys: opt(5, list(string, 'atomic'), "Labels whose value must be this pod's own."),
  mismatchLabelKeys: opt(6, list(string, 'atomic'), "Labels whose value must differ from this pod's."),
  namespaceSelector: opt(4, LabelSelector, 'Namespaces to look in, by label.'),
  namespaces: opt(2, list(string, 'atomic'), 'Namespaces to look in, by name.'),
  topologyKey: req(3, string, 'Node label whose equal values count as near.'),
});
export interface PodAffinityTerm extends Infer<typeof PodAffinityTerm> {}

export const WeightedPodAffinityTerm = struct(
  'io.k8s.api.core.v1.WeightedPodAffinityTerm',
  'Pods that it likes to be near, and how much.',
  {
    podAffinityTerm: req(2, PodAffinityTerm, 'Which pods.'),
    weight: req(1, int32, 'How much, from 1 to 100.'),
  },
);
export interface WeightedPodAffinityTerm extends Infer<typeof WeightedPodAffinityTerm> {}

export const PodAffinity = struct('io.k8s.api.core.v1.PodAffinity', 'Which pods to be near.', {
  preferredDuringSchedulingIgnoredDuringExecution: opt(
    2,
    list(WeightedPodAffinityTerm, 'atomic'),
    'Pods that it likes to be near.',
  ),
  requiredDuringSchedulingIgnoredDuringExecution: opt(1, list(PodAffinityTerm, 'atomic'), 'Pods that it must be near.'),
});
export interface PodAffinity extends Infer<typeof PodAffinity> {}

export const PodAntiAffinity = struct('io.k8s.api.core.v1.PodAntiAffinity', 'Which pods to stay away from.', {
  preferredDuringSchedulingIgnoredDuringExecution: opt(
    2,
    list(WeightedPodAffinityTerm, 'atomic'),
    'Pods that it likes to be away from.',
  ),
  requiredDuringSchedulingIgnoredDuringExecution: opt(
    1,
    list(PodAffinityTerm, 'atomic'),
    'Pods that it must be away from.',
  ),
});
export interface PodAntiAffinity extends Infer<typeof PodAntiAffinity> {}

export const Affinity = struct('io.k8s.api.core.v1.Affinity', 'Where a pod would like to be, and with whom.', {
  nodeAffinity: opt(1, NodeAffinity, 'On which nodes.'),
  podAffinity: opt(2, PodAffinity, 'Near which pods.'),
  podAntiAffinity: opt(3, PodAntiAffinity, 'Away from which pods.'),
});
export interface Affinity extends Infer<typeof Affinity> {}
