import type { DaemonSet, NodeSelectorTerm, PodSpec } from '@vireo/api';

/** What keeps a pod off the nodes of VMs. */
const EXCLUSION = { key: 'type', operator: 'NotIn', values: ['virtual-kubelet'] };

/**
 * DaemonSets that would put a pod on every node of VMs, where no container runs: they tolerate every taint, as kube-proxy
 * and most networks do, and do not leave out virtual kubelets.
 */
export const reachingVirtualNodes = <T extends DaemonSet>(daemonSets: readonly T[]): T[] =>
  daemonSets.filter(({ spec }) => {
    const pod = spec?.template.spec;
    return pod !== undefined && toleratesEverything(pod) && !leavesOutVirtualNodes(pod);
  });

/** The command that keeps a DaemonSet off the nodes of VMs. */
export function exclusionCommand({ metadata, spec }: DaemonSet): string {
  const terms = requiredTerms(spec?.template.spec);
  const excluding = (terms.length > 0 ? terms : [{}]).map((term) => ({
    ...term,
    matchExpressions: [...(term.matchExpressions ?? []), EXCLUSION],
  }));
  const patch = {
    spec: {
      template: {
        spec: {
          affinity: {
            nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: excluding } },
          },
        },
      },
    },
  };
  return `kubectl --namespace ${metadata.namespace} patch daemonset ${metadata.name} --type merge --patch '${JSON.stringify(patch)}'`;
}

const toleratesEverything = ({ tolerations = [] }: PodSpec): boolean =>
  tolerations.some(
    ({ key, operator, effect }) => !key && operator === 'Exists' && (!effect || effect === 'NoSchedule'),
  );

/** Only one of the terms has to match, so that every one of them has to leave virtual nodes out. */
function leavesOutVirtualNodes(pod: PodSpec): boolean {
  const terms = requiredTerms(pod);
  return (
    pod.nodeSelector?.type !== undefined ||
    (terms.length > 0 &&
      terms.every(({ matchExpressions = [] }) =>
        matchExpressions.some(
          ({ key, operator, values = [] }) =>
            key === EXCLUSION.key && operator === 'NotIn' && values.includes('virtual-kubelet'),
        ),
      ))
  );
}

const requiredTerms = (pod: PodSpec | undefined): readonly NodeSelectorTerm[] =>
  pod?.affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution?.nodeSelectorTerms ?? [];
