import { EndpointSlice, NetworkPolicy, Node, type Persisted, Pod, Service } from '@vireo/api';
import { NAMESPACE, SET } from '../objects.ts';
import type { Scene } from '../scene.ts';
import { calmScene, stored } from '../testing.ts';
import { calmTables, ON, REPLICA, STICKY, WEB } from './calmTables.ts';
import type { KernelNetwork } from './kernel.ts';
import { policyOf } from './objects.ts';
import { dnsName } from './services.ts';
import { parseTable } from './table.ts';

const tap = ({ device, address, address6, mac }: typeof ON): KernelNetwork['taps'][number] => ({
  device,
  isUp: true,
  hasCarrier: true,
  mtu: 1450,
  addresses: ['fe80::1'],
  routes: [address, address6],
  neighbours: [`${address} ${mac}`, `${address6} ${mac}`],
  wrongSettings: [],
});

const interfaceOf = (card: typeof ON | undefined): object => ({
  name: 'default',
  ipAddress: card?.address,
  ipAddresses: [card?.address, card?.address6],
});

function sliceOf(service: string, addressType: 'IPv4' | 'IPv6', address: string): Persisted<EndpointSlice> {
  const slice = stored(EndpointSlice, `${service}-1`, {
    addressType,
    endpoints: [{ addresses: [address], conditions: { ready: true } }],
    ports: [
      { name: 'http', port: 8080, protocol: 'TCP' },
      { name: 'names', port: 53, protocol: 'UDP' },
    ],
  });
  Object.assign(slice.metadata, { labels: { 'kubernetes.io/service-name': service } });
  return slice;
}

/** The guests of the calm scene with a network: both have a Service, and `on` a policy that lets the replica in. */
export function calmNetwork(): Scene & { readonly network: KernelNetwork } {
  const calm = calmScene();
  const guests: Readonly<Record<string, typeof ON>> = { on: ON, [`${SET}-1`]: REPLICA };
  const uidOf = (name: string): string => `VirtualMachineInstance-${name}`;
  const pods = Object.entries(guests).map(([name, { address, address6 }]) => {
    const labels = {
      'kubevirt.io/created-by': uidOf(name),
      'vm.kubevirt.io/name': name,
      ...(name !== 'on' && { set: SET }),
    };
    const status = {
      phase: 'Running',
      podIP: address,
      podIPs: [{ ip: address }, { ip: address6 }],
      conditions: [{ type: 'Ready', status: 'True' }],
    };
    const pod = stored(Pod, `launcher-${name}`, { status });
    return { ...pod, metadata: { ...pod.metadata, labels } };
  });
  const webPorts = (WEB.service.spec?.ports ?? []).map((port, index) => ({
    ...port,
    nodePort: index === 0 ? WEB.nodePorts.http : WEB.nodePorts.names,
  }));
  const services = [
    stored(Service, 'on-web', {
      spec: {
        ...WEB.service.spec,
        ...{ ports: webPorts, clusterIP: WEB.clusterIp, clusterIPs: [WEB.clusterIp, WEB.clusterIp6] },
      },
    }),
    stored(Service, 'herd-1-web', {
      spec: { ...STICKY.service.spec, clusterIP: STICKY.clusterIp, clusterIPs: [STICKY.clusterIp] },
    }),
  ];
  return {
    ...calm,
    pods,
    vmis: calm.vmis.map((vmi) => ({
      ...vmi,
      status: { ...vmi.status, interfaces: [interfaceOf(guests[vmi.metadata.name])] },
    })) as Scene['vmis'],
    domains: Object.entries(guests).map(([name, card]) => ({ name: `${NAMESPACE}_${name}`, disc: undefined, card })),
    services,
    slices: [
      sliceOf('on-web', 'IPv4', ON.address),
      sliceOf('on-web', 'IPv6', ON.address6),
      sliceOf('herd-1-web', 'IPv4', REPLICA.address),
    ],
    policies: [stored(NetworkPolicy, 'on-policy', { spec: policyOf('on', 0.5).spec })],
    nodes: [stored(Node, 'host', { spec: { podCIDRs: ['10.244.0.0/24', 'fd44::/64'] } })],
    ranges: {
      ...{ clusterCIDR: '10.244.0.0/16', serviceCIDR: '10.96.0.0/16', clusterDomain: 'cluster.local' },
      ...{ clusterCIDRv6: 'fd44::/56', serviceCIDRv6: 'fd96::/112' },
    },
    network: {
      name: 'vireo0',
      isUp: true,
      addresses: ['10.244.0.1', '10.244.0.254', 'fd44::1', 'fd44::fe'],
      routes: ['10.244.0.0/16', '10.96.0.0/16', 'fd44::/56', 'fd96::/112'],
      isForwarding: true,
      taps: [tap(ON), tap(REPLICA)],
      cards: Object.entries(guests).map(([name, card]) => ({ uid: uidOf(name), ...card, mtu: 1450 })),
      tables: { inet: parseTable(calmTables.inet), arp: parseTable(calmTables.arp) },
      names: Object.fromEntries(services.map((service) => [dnsName(service), service.spec?.clusterIP ?? ''])),
      hasDhcp: true,
    },
  };
}
