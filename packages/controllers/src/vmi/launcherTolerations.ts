import type { Pod } from '@vireo/api';

type Toleration = NonNullable<NonNullable<Pod['spec']>['tolerations']>[number];

/** Taints that the server puts on nodes that do not report, or that say that they are not well. */
export const SILENCE_TAINTS: readonly string[] = ['node.kubernetes.io/not-ready', 'node.kubernetes.io/unreachable'];

/** The taint by which nodes that run no containers keep other pods away. */
const VIRTUAL_KUBELET_TAINT = 'virtual-kubelet.io/provider';

/**
 * The tolerations of a launcher. What happens to a node that is not ready or unreachable ends no guest, so a launcher
 * stays there without limit: its deletion would tell nothing of the guest. A limit that the VMI sets for these taints
 * counts for replica sets alone, which make another VMI.
 */
export const launcherTolerations = (given: readonly Toleration[]): Toleration[] => [
  ...given.filter(
    ({ key = '', tolerationSeconds }) => tolerationSeconds === undefined || !SILENCE_TAINTS.includes(key),
  ),
  ...SILENCE_TAINTS.map((key) => ({ key, operator: 'Exists', effect: 'NoExecute' })),
  { key: VIRTUAL_KUBELET_TAINT, operator: 'Exists' },
];
