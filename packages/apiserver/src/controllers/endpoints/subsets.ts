import type { EndpointAddress, EndpointPort, EndpointSubset, Persisted, Pod, Service } from '@vireo/api';
import {
  addressesOf,
  familiesOf,
  familyOf,
  hostnameOf,
  isHeadless,
  isReady,
  isTerminal,
  isTerminating,
  podPorts,
} from '../serviceEndpoints/pods.ts';

/** Larger Endpoints would have to be sent as a whole with every change. */
const MAX_ADDRESSES = 1000;

interface Member {
  readonly address: EndpointAddress;
  readonly isReady: boolean;
}

/** The subsets of a Service's Endpoints: of its first address family, and without pods that are going. */
export function subsetsOf(service: Service, pods: readonly Persisted<Pod>[]): EndpointSubset[] {
  const publishesAll = service.spec?.publishNotReadyAddresses === true;
  const members = pods
    .filter((pod) => !isTerminal(pod) && (publishesAll || !isTerminating(pod)))
    .flatMap((pod) => {
      const ip = addressesOf(pod).find((each) => familyOf(each) === familiesOf(service)[0]);
      return ip === undefined ? [] : [{ pod, address: addressOf(pod, service, ip) }];
    })
    .map(({ pod, address }) => ({ pod, address, isReady: publishesAll || isReady(pod) }))
    .toSorted((a, b) => compare(a.address.ip, b.address.ip) || compare(a.pod.metadata.uid, b.pod.metadata.uid));
  if (!service.spec?.ports?.length) return isHeadless(service) ? subset(members, []) : [];
  const byPort = new Map<string, { port: EndpointPort; members: Member[] }>();
  for (const member of members) {
    for (const port of endpointPorts(service, member.pod)) {
      const entry = byPort.get(JSON.stringify(port)) ?? { port, members: [] };
      entry.members.push(member);
      byPort.set(JSON.stringify(port), entry);
    }
  }
  // Ports that the same pods have share a subset.
  const addressesOfEntry = (entry: { members: readonly Member[] }): string =>
    entry.members.map(({ address, isReady }) => `${address.ip} ${address.targetRef?.uid} ${isReady}`).join();
  return [...Map.groupBy(byPort.values(), addressesOfEntry).values()].flatMap((entries) =>
    subset(
      entries[0]?.members ?? [],
      entries.map(({ port }) => port),
    ),
  );
}

function subset(members: readonly Member[], ports: EndpointPort[]): EndpointSubset[] {
  const addresses = members.filter((member) => member.isReady).map(({ address }) => address);
  const notReadyAddresses = members.filter((member) => !member.isReady).map(({ address }) => address);
  if (members.length === 0) return [];
  return [{ ...withoutEmpty({ addresses, notReadyAddresses }), ...(ports.length > 0 && { ports }) }];
}

function addressOf(pod: Persisted<Pod>, service: Service, ip: string): EndpointAddress {
  const { name, namespace, uid } = pod.metadata;
  const hostname = hostnameOf(pod, service);
  const nodeName = pod.spec?.nodeName;
  return {
    ...(hostname !== undefined && { hostname }),
    ip,
    ...(nodeName && { nodeName }),
    targetRef: { kind: 'Pod', name, ...(namespace && { namespace }), uid },
  };
}

const endpointPorts = (service: Service, pod: Pod): EndpointPort[] =>
  podPorts(service, pod).map(({ servicePort: { name, protocol = 'TCP', appProtocol }, port }) => ({
    ...(appProtocol !== undefined && { appProtocol }),
    ...(name && { name }),
    port,
    protocol,
  }));

const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);

/** At most 1,000 addresses, those that are ready first; each subset keeps its share. */
export function truncated(subsets: readonly EndpointSubset[]): { subsets: EndpointSubset[]; isTruncated: boolean } {
  const count = (key: 'addresses' | 'notReadyAddresses'): number =>
    subsets.reduce((sum, each) => sum + (each[key]?.length ?? 0), 0);
  const [ready, notReady] = [count('addresses'), count('notReadyAddresses')];
  if (ready + notReady <= MAX_ADDRESSES) return { subsets: [...subsets], isTruncated: false };
  const key = ready > MAX_ADDRESSES ? 'addresses' : 'notReadyAddresses';
  const [room, total] = key === 'addresses' ? [MAX_ADDRESSES, ready] : [MAX_ADDRESSES - ready, notReady];
  let left = room;
  const cut = subsets.map(({ addresses = [], notReadyAddresses = [], ports }) => {
    const all = key === 'addresses' ? addresses : notReadyAddresses;
    const kept = all.slice(0, Math.min(left, Math.ceil((all.length / total) * room)));
    left -= kept.length;
    const rest = key === 'addresses' ? { addresses: kept } : { addresses, notReadyAddresses: kept };
    return { ...withoutEmpty(rest), ...(ports && { ports }) };
  });
  return { subsets: cut.filter((each) => each.addresses ?? each.notReadyAddresses), isTruncated: true };
}

const withoutEmpty = ({ addresses = [], notReadyAddresses = [] }: EndpointSubset): EndpointSubset => ({
  ...(addresses.length > 0 && { addresses }),
  ...(notReadyAddresses.length > 0 && { notReadyAddresses }),
});
