import { groupVersion, type UnknownObject, withCondition } from '@vireo/api';

export const MANAGED_LABEL = 'kube-aggregator.kubernetes.io/automanaged';

interface Condition {
  type: string;
  status: string;
  reason: string;
  message: string;
  lastTransitionTime?: string;
}

/** The APIService of a group-version that this server answers itself. */
export function localApiService(group: string, version: string): UnknownObject {
  return {
    apiVersion: 'apiregistration.k8s.io/v1',
    kind: 'APIService',
    metadata: { name: group ? `${version}.${group}` : `${version}.`, labels: { [MANAGED_LABEL]: 'onstart' } },
    spec: { ...(group && { group }), version, groupPriorityMinimum: group ? 1000 : 18000, versionPriority: 100 },
  };
}

/** The status that an APIService should have; undefined when it has it. */
export function availability(
  apiService: UnknownObject,
  isReachable: (namespace: string, name: string) => boolean,
  now: Date,
): { conditions: Condition[] } | undefined {
  const {
    service,
    group = '',
    version = '',
  } = apiService.spec as {
    service?: { namespace?: string; name?: string };
    group?: string;
    version?: string;
  };
  const wanted = wantedCondition(groupVersion(group, version), service, isReachable);
  const conditions = (apiService.status as { conditions?: Condition[] } | undefined)?.conditions ?? [];
  const old = conditions.find(({ type }) => type === 'Available');
  if (old?.status === wanted.status && old.reason === wanted.reason && old.message === wanted.message) return undefined;
  return { conditions: withCondition(conditions, wanted, now) };
}

function wantedCondition(
  name: string,
  service: { namespace?: string; name?: string } | undefined,
  isReachable: (namespace: string, name: string) => boolean,
): Condition {
  if (!service)
    return { type: 'Available', status: 'True', reason: 'Local', message: 'Local APIServices are always available' };
  if (isReachable(service.namespace ?? '', service.name ?? ''))
    return { type: 'Available', status: 'True', reason: 'Passed', message: 'all checks passed' };
  return {
    type: 'Available',
    status: 'False',
    reason: 'ServiceNotFound',
    message: `service/${service.name} in "${service.namespace}" does not serve ${name}`,
  };
}
