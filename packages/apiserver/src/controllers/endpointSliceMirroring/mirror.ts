import type { Endpoint, EndpointAddress, EndpointSubset, Endpoints, Service } from '@vireo/api';
import { selectsPods } from '../serviceEndpoints/members.ts';
import { MANAGED_BY, SERVICE_NAME, TRIGGER_TIME } from '../serviceEndpoints/names.ts';
import { familyOf } from '../serviceEndpoints/pods.ts';
import type { EndpointGroup } from '../serviceEndpoints/slicePlan.ts';

/** Who mirrored slices say that they belong to. */
export const MIRROR_MANAGER = 'endpointslicemirroring-controller.k8s.io';
/** Endpoints with more addresses in a subset are mirrored in part. */
export const MAX_PER_SUBSET = 1000;

const SKIP = 'endpointslice.kubernetes.io/skip-mirror';
const LEADER = 'control-plane.alpha.kubernetes.io/leader';
const LAST_APPLIED = 'kubectl.kubernetes.io/last-applied-configuration';

/** Whether Endpoints are written by a user, for a Service that selects no pods. */
export const isMirrored = ({ metadata }: Endpoints, service: Service | undefined): boolean =>
  metadata.labels?.[SKIP] !== 'true' &&
  metadata.annotations?.[LEADER] === undefined &&
  service !== undefined &&
  service.spec?.type !== 'ExternalName' &&
  !selectsPods(service);

/** The endpoints of each subset, by address family. */
export const mirroredGroups = ({ subsets = [] }: Endpoints): EndpointGroup[] =>
  merged(
    subsets.flatMap((subset) => {
      const endpoints = endpointsOf(subset).slice(0, MAX_PER_SUBSET);
      const ports = (subset.ports ?? []).map(({ name = '', port, protocol = 'TCP', appProtocol }) => ({
        ...(appProtocol !== undefined && { appProtocol }),
        name,
        port,
        protocol,
      }));
      return ['IPv4', 'IPv6']
        .map((addressType) => ({
          addressType,
          ports,
          endpoints: endpoints.filter(({ addresses: [address = ''] }) => familyOf(address) === addressType),
        }))
        .filter((group) => group.endpoints.length > 0);
    }),
  );

/** Subsets with the same ports are one group. */
const merged = (groups: readonly EndpointGroup[]): EndpointGroup[] =>
  [...Map.groupBy(groups, ({ addressType, ports }) => JSON.stringify([addressType, ports])).values()].flatMap(
    (same) => {
      const [first] = same;
      return first ? [{ ...first, endpoints: same.flatMap(({ endpoints }) => endpoints) }] : [];
    },
  );

const endpointsOf = ({ addresses = [], notReadyAddresses = [] }: EndpointSubset): Endpoint[] => [
  ...addresses.map((address) => mirrored(address, true)),
  ...notReadyAddresses.map((address) => mirrored(address, false)),
];

const mirrored = ({ ip, hostname, nodeName, targetRef }: EndpointAddress, ready: boolean): Endpoint => ({
  addresses: [ip],
  conditions: { ready },
  ...(hostname && { hostname }),
  ...(nodeName && { nodeName }),
  ...(targetRef && { targetRef }),
});

/** How many addresses of the Endpoints are too many for slices. */
export const skippedCount = ({ subsets = [] }: Endpoints): number =>
  subsets.reduce((sum, subset) => sum + Math.max(0, endpointsOf(subset).length - MAX_PER_SUBSET), 0);

/** Labels and annotations of the slices: those of the Endpoints, as far as they are not about the Endpoints alone. */
export function mirroredMetadata({ metadata }: Endpoints): {
  labels: Record<string, string>;
  annotations: Record<string, string>;
} {
  const { [TRIGGER_TIME]: _, [LAST_APPLIED]: _1, ...annotations } = metadata.annotations ?? {};
  return {
    labels: { ...metadata.labels, [SERVICE_NAME]: metadata.name ?? '', [MANAGED_BY]: MIRROR_MANAGER },
    annotations,
  };
}
