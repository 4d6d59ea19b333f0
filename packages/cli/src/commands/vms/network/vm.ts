import { hostnameOf } from '@vireo/api/kinds/kubevirt/hostname.ts';
import { programName } from '../../../programName.ts';
import { formatTable } from '../table.ts';
import { objectOf } from '../vmSummary.ts';
import { isBehindNode, type Machine, machinesOf } from './machines.ts';
import { type PolicyLine, policyLine, selectsMachine as policySelects } from './policies.ts';
import type { NetworkObjects } from './read.ts';
import { isEndpoint, type ServiceLine, selectsMachine, serviceLine, slicesOf, userNetworkingNote } from './services.ts';
import { type InterfaceLine, type VmLine, vmLine } from './summary.ts';
import { rulesText, serviceRow } from './text.ts';

/** A name by which a VM is reached, and the address that it stands for. */
export interface NameLine {
  readonly name: string;
  readonly address: string;
}

/** Everything that `vireo network VM` tells. */
export interface VmNetwork extends Omit<VmLine, 'interfaces'> {
  readonly interfaces: readonly (InterfaceLine & {
    /** What others reach of it: all ports, unless it lists some. */
    readonly ports?: readonly string[];
  })[];
  /** Why nobody reaches it. */
  readonly note?: string;
  readonly names: readonly NameLine[];
  readonly services: readonly ServiceLine[];
  readonly policies: readonly PolicyLine[];
  readonly forbidden: NetworkObjects['forbidden'];
}

/** Puts together what concerns one VM of the objects of its namespace. */
export function vmNetwork(objects: NetworkObjects, uid: string): VmNetwork {
  const machines = machinesOf(objects);
  const machine = machines.find(({ pair }) => objectOf(pair).metadata.uid === uid);
  if (!machine) throw new Error(`the VM with UID ${uid} was deleted meanwhile`);
  const line = vmLine(machine);
  return {
    ...line,
    interfaces: line.interfaces.map((card) => ({ ...card, ...openPorts(machine, card.name) })),
    ...(isBehindNode(machine) && { note: userNetworkingNote([machine]) }),
    names: namesOf(machine, objects),
    services: objects.services
      .filter((service) => selectsMachine(service, machine) || isReached(machine, service, objects))
      .map((service) => serviceLine(service, objects.slices, machines)),
    policies: objects.policies
      .filter((policy) => policySelects(policy, machine))
      .map((policy) => policyLine(policy, [machine])),
    forbidden: objects.forbidden,
  };
}

function openPorts({ pair: { vm, vmi } }: Machine, name: string): { ports?: string[] } {
  const cards = (vmi?.spec ?? vm?.spec.template?.spec)?.domain.devices.interfaces ?? [];
  const { ports = [], portRanges = [] } = cards.find((card) => card.name === name) ?? {};
  if (ports.length === 0 && portRanges.length === 0) return {};
  return {
    ports: [
      ...ports.map(({ port, protocol }) => `${port}/${protocol || 'TCP'}`),
      ...portRanges.map(({ start, end, protocol }) => `${start}-${end}/${protocol || 'TCP'}`),
    ],
  };
}

type Service = NetworkObjects['services'][number];

const isReached = (machine: Machine, service: Service, { slices }: NetworkObjects): boolean =>
  slicesOf(service, slices).some(({ endpoints = [] }) => endpoints.some((endpoint) => isEndpoint(machine, endpoint)));

/** The names that lead to a VM, as Kubernetes' DNS has them. */
function namesOf(machine: Machine, objects: NetworkObjects): NameLine[] {
  const names = objects.services.flatMap((service) => {
    const { name, namespace } = service.metadata;
    const base = `${name}.${namespace}.svc.${objects.domain}`;
    const endpoints = slicesOf(service, objects.slices)
      .flatMap(({ endpoints: all = [] }) => all)
      .filter((endpoint) => endpoint.conditions?.ready !== false && isEndpoint(machine, endpoint));
    return endpoints.flatMap(({ addresses, hostname }) => {
      const { clusterIP = '', clusterIPs = [clusterIP] } = service.spec ?? {};
      return [
        ...(clusterIP === 'None' ? addresses : clusterIPs).map((address) => ({ name: base, address })),
        ...(hostname ? addresses.map((address) => ({ name: `${hostname}.${base}`, address })) : []),
      ];
    });
  });
  const { podIP } = machine.pod?.status ?? {};
  const ofPod =
    podIP?.includes('.') && !isBehindNode(machine)
      ? [{ name: `${podIP.replaceAll('.', '-')}.${machine.namespace}.pod.${objects.domain}`, address: podIP }]
      : [];
  return [...new Map([...names, ...ofPod].map((line) => [`${line.name} ${line.address}`, line])).values()];
}

/** The same for people. */
export function vmNetworkText(vm: VmNetwork): string {
  const inNamespace = vm.namespace === 'default' ? '' : ` -n ${vm.namespace}`;
  const where = vm.node ? `${vm.state} on node ${vm.node}` : vm.state;
  const table = (head: string[], rows: string[][]): string =>
    formatTable([head, ...rows.map((row) => row.map((cell) => cell || '-'))]);
  const isForbidden = (kind: string): boolean => vm.forbidden.some((each) => each.kind === kind);
  const services =
    vm.services.length > 0
      ? table(
          ['SERVICE', 'TYPE', 'CLUSTER-IP', 'EXTERNAL', 'PORTS', 'ENDPOINTS'],
          vm.services.map((service) => serviceRow(service).slice(1, -1)),
        )
      : vm.note
        ? `No Service can lead to it. To reach a port of it: ${programName} port-forward vm/${vm.name} 2222:22${inNamespace}`
        : `No Service leads to it. To make one: ${programName} expose vm ${vm.name} --name ${hostnameOf({ metadata: vm })} --port 22${inNamespace}`;
  const broken = vm.services.flatMap(({ name, note }) => (note ? [`Service ${name} leads nowhere: ${note}`] : []));
  const policyRows = vm.policies.flatMap(({ name, ingress, egress }) => [
    ...(ingress ? [[name, 'ingress', rulesText(ingress)]] : []),
    ...(egress ? [[name, 'egress', rulesText(egress)]] : []),
  ]);
  return [
    `VM ${vm.name} in namespace ${vm.namespace}: ${where}`,
    ...(vm.interfaces.length > 0
      ? [
          table(
            ['INTERFACE', 'NETWORK', 'ADDRESS', 'MAC', 'LINK', 'OPEN PORTS'],
            vm.interfaces.map(({ name, network, addresses, mac = '', linkState = '', ports }) => [
              name,
              network,
              addresses.join(', '),
              mac,
              linkState,
              ports?.join(', ') ?? 'all',
            ]),
          ),
        ]
      : ['It has no interfaces.']),
    ...(vm.note ? [`Nobody reaches it: ${vm.note}.`] : []),
    ...(vm.names.length > 0
      ? [
          table(
            ['NAME', 'ADDRESS'],
            vm.names.map(({ name, address }) => [name, address]),
          ),
        ]
      : []),
    ...(isForbidden('Services') ? [] : [services]),
    ...(broken.length > 0 ? [broken.join('\n')] : []),
    ...(isForbidden('NetworkPolicies')
      ? []
      : [
          policyRows.length > 0
            ? table(['POLICY', 'DIRECTION', 'ALLOWS'], policyRows)
            : 'No NetworkPolicy restricts it.',
        ]),
    ...(vm.forbidden.length > 0
      ? [vm.forbidden.map(({ kind, message }) => `${kind} cannot be listed: ${message}`).join('\n')]
      : []),
  ].join('\n\n');
}
