import { type Infer, int32, list, opt, req, string, struct } from '../../schema.ts';
import { LabelSelector } from '../meta/selectors.ts';
import { NodeSelector, PreferredSchedulingTerm } from './nodeSelector.ts';

export const NodeAffinity = struct(
  'io.k8s.api.core.v1.NodeAffinity',
  'Rules about the nodes that a pod may or should run on.',
  {
    preferredDuringSchedulingIgnoredDuringExecution: opt(
      2,
      list(PreferredSchedulingTerm, 'atomic'),
      'Nodes that the scheduler prefers, with weights.',
    ),
    requiredDuringSchedulingIgnoredDuringExecution: opt(
      1,
      NodeSelector,
      'Nodes that the pod may run on. If none matches, it stays Pending.',
    ),
  },
);
export interface NodeAffinity extends Infer<typeof NodeAffinity> {}

export const PodAffinityTerm = struct(
  'io.k8s.api.core.v1.PodAffinityTerm',
  'Selects pods, and the topology in which they count as near.',
  {
    labelSelector: opt(1, LabelSelector, 'Selects the pods by their labels.'),
    matchLabelKeys: opt(5, list(string, 'atomic'), "Labels whose value must be this pod's own."),
    mismatchLabelKeys: opt(6, list(string, 'atomic'), "Labels whose value must differ from this pod's."),
    namespaceSelector: opt(4, LabelSelector, 'Namespaces to look in, by label.'),
    namespaces: opt(2, list(string, 'atomic'), 'Namespaces to look in, by name.'),
    topologyKey: req(3, string, 'Node label whose equal values count as near.'),
  },
);
export interface PodAffinityTerm extends Infer<typeof PodAffinityTerm> {}

export const WeightedPodAffinityTerm = struct(
  'io.k8s.api.core.v1.WeightedPodAffinityTerm',
  'A preference for pods to be near, or away from, with its weight.',
  {
    podAffinityTerm: req(2, PodAffinityTerm, 'The pods that the preference is about.'),
    weight: req(1, int32, 'Weight of the preference, from 1 to 100.'),
  },
);
export interface WeightedPodAffinityTerm extends Infer<typeof WeightedPodAffinityTerm> {}

export const PodAffinity = struct('io.k8s.api.core.v1.PodAffinity', 'Rules about pods that a pod should run near.', {
  preferredDuringSchedulingIgnoredDuringExecution: opt(
    2,
    list(WeightedPodAffinityTerm, 'atomic'),
    'Pods that it likes to be near.',
  ),
  requiredDuringSchedulingIgnoredDuringExecution: opt(1, list(PodAffinityTerm, 'atomic'), 'Pods that it must be near.'),
});
export interface PodAffinity extends Infer<typeof PodAffinity> {}

export const PodAntiAffinity = struct(
  'io.k8s.api.core.v1.PodAntiAffinity',
  'Rules about pods that a pod should not run near.',
  {
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
  },
);
export interface PodAntiAffinity extends Infer<typeof PodAntiAffinity> {}

export const Affinity = struct('io.k8s.api.core.v1.Affinity', 'Scheduling rules about nodes and other pods.', {
  nodeAffinity: opt(1, NodeAffinity, 'Rules about the nodes that the pod may run on.'),
  podAffinity: opt(2, PodAffinity, 'Rules about pods that it should run near.'),
  podAntiAffinity: opt(3, PodAntiAffinity, 'Rules about pods that it should not run near.'),
});
export interface Affinity extends Infer<typeof Affinity> {}
