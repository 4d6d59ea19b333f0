import type { UnknownObject } from '@vireo/api';
import type { Pod } from '@vireo/api/kinds/core/pod.ts';
import { podResources } from '@vireo/api/kinds/core/podResources.ts';
import type { ResourceQuota } from '@vireo/api/kinds/core/resourceQuota.ts';
import type { Counted } from './resourceQuotaUsage.ts';

interface ScopeRequirement {
  readonly scopeName: string;
  readonly operator: string;
  readonly values?: readonly string[];
}

/** Whether the quota is about the object. Quotas with scopes are about pods alone. */
export function quotaCovers({ spec }: ResourceQuota, counted: Counted, object: UnknownObject): boolean {
  const requirements: ScopeRequirement[] = [
    ...(spec?.scopes ?? []).map((scopeName) => ({ scopeName, operator: 'Exists' })),
    ...(spec?.scopeSelector?.matchExpressions ?? []),
  ];
  if (requirements.length === 0) return true;
  if (counted.group !== '' || counted.plural !== 'pods') return false;
  return requirements.every((requirement) => matchesScope(requirement, object as unknown as Pod));
}

function matchesScope({ scopeName, operator, values = [] }: ScopeRequirement, pod: Pod): boolean {
  switch (scopeName) {
    case 'Terminating':
      return pod.spec?.activeDeadlineSeconds !== undefined;
    case 'NotTerminating':
      return pod.spec?.activeDeadlineSeconds === undefined;
    case 'BestEffort':
      return isBestEffort(pod);
    case 'NotBestEffort':
      return !isBestEffort(pod);
    case 'PriorityClass':
      return matchesPriorityClass(operator, values, pod.spec?.priorityClassName ?? '');
    case 'CrossNamespacePodAffinity':
      return looksAcrossNamespaces(pod);
    default:
      return false;
  }
}

/** The lowest quality of service: nothing requested, nothing limited. */
const isBestEffort = ({ spec }: Pod): boolean =>
  ['cpu', 'memory'].every((name) => {
    const request = podResources(spec, 'requests')[name];
    return request === undefined || request.nano === 0n;
  });

function matchesPriorityClass(operator: string, values: readonly string[], name: string): boolean {
  switch (operator) {
    case 'In':
      return values.includes(name);
    case 'NotIn':
      return !values.includes(name);
    case 'Exists':
      return name !== '';
    case 'DoesNotExist':
      return name === '';
    default:
      return false;
  }
}

function looksAcrossNamespaces({ spec }: Pod): boolean {
  const { podAffinity, podAntiAffinity } = spec?.affinity ?? {};
  return [podAffinity, podAntiAffinity]
    .flatMap((affinity) => [
      ...(affinity?.requiredDuringSchedulingIgnoredDuringExecution ?? []),
      ...(affinity?.preferredDuringSchedulingIgnoredDuringExecution ?? []).map(
        ({ podAffinityTerm }) => podAffinityTerm,
      ),
    ])
    .some(({ namespaces, namespaceSelector }) => Boolean(namespaces?.length) || namespaceSelector !== undefined);
}
