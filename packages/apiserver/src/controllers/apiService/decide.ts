import { type APIService, type EndpointSlice, type Service, type UnknownObject, withCondition } from '@vireo/api';

export const MANAGED_LABEL = 'kube-aggregator.kubernetes.io/automanaged';

/** What is to be said of an APIService. */
export interface AvailableCondition {
  readonly type: 'Available';
  readonly status: 'True' | 'False' | 'Unknown';
  readonly reason: string;
  readonly message: string;
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

const available = (reason: string, message: string): AvailableCondition => ({
  type: 'Available',
  status: 'True',
  reason,
  message,
});

const unavailable = (reason: string, message: string): AvailableCondition => ({
  ...available(reason, message),
  status: 'False',
});

export const LOCAL = available('Local', 'Local APIServices are always available');
export const PASSED = available('Passed', 'all checks passed');
export const failedDiscovery = (message: string): AvailableCondition => unavailable('FailedDiscoveryCheck', message);

/** What the Service of an APIService and its EndpointSlices say already; undefined: its server has to be asked. */
export function serviceProblem(
  { spec }: APIService,
  service: Service | undefined,
  slices: readonly EndpointSlice[],
): AvailableCondition | undefined {
  const { name = '', namespace = '', port = 443 } = spec?.service ?? {};
  const named = `service/${name} in ${JSON.stringify(namespace)}`;
  if (!service) return unavailable('ServiceNotFound', `${named} is not present`);
  if ((service.spec?.type ?? 'ClusterIP') !== 'ClusterIP') return undefined;
  const listening = service.spec?.ports?.find((each) => each.port === port);
  if (!listening) return unavailable('ServicePortError', `${named} is not listening on port ${port}`);
  if (slices.length === 0) return unavailable('EndpointsNotFound', `cannot find endpointslices for ${named}`);
  const portName = listening.name ?? '';
  if (slices.some((slice) => takesTraffic(slice, portName))) return undefined;
  return unavailable(
    'MissingEndpoints',
    `endpointslices for ${named} have no addresses with port name ${JSON.stringify(portName)}`,
  );
}

const takesTraffic = ({ endpoints = [], ports = [] }: EndpointSlice, portName: string): boolean =>
  endpoints.some(({ conditions }) => conditions?.ready !== false) &&
  ports.some(({ name = '', port }) => name === portName && port !== undefined);

/** The conditions with what is to be said now; undefined if they say it. */
export function changedConditions(
  { status }: APIService,
  wanted: AvailableCondition,
  now: Date,
): NonNullable<APIService['status']> | undefined {
  const conditions = status?.conditions ?? [];
  const old = conditions.find(({ type }) => type === 'Available');
  if (old?.status === wanted.status && old.reason === wanted.reason && old.message === wanted.message) return undefined;
  return { conditions: withCondition(conditions, wanted, now) };
}
