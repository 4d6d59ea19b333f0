import type { EndpointSlice, Persisted, Service } from '@vireo/api';
import { SERVICE_NAME_LABEL } from '@vireo/node/network/objects.ts';
import { isBehindNode, type Machine } from './machines.ts';

/** What is told of a Service. */
export interface ServiceLine {
  readonly namespace: string;
  readonly name: string;
  readonly type: string;
  /** Empty for headless Services. */
  readonly clusterIPs: readonly string[];
  readonly ports: readonly ServicePortLine[];
  /** Of its load balancer, and external IPs. */
  readonly externalAddresses: readonly string[];
  readonly readyEndpoints: number;
  /** The VMs that its ready endpoints are. */
  readonly vms: readonly string[];
  /** Why connections to it reach no VM. */
  readonly note?: string;
}

export interface ServicePortLine {
  readonly name?: string;
  readonly port: number;
  readonly protocol: string;
  readonly targetPort?: number | string;
  readonly nodePort?: number;
}

/** A Service with where it leads. `slices` and `machines` may be of other Services and namespaces, too. */
export function serviceLine(
  service: Persisted<Service>,
  slices: readonly EndpointSlice[],
  machines: readonly Machine[],
): ServiceLine {
  const { metadata, spec = {}, status } = service;
  const { name, namespace = '' } = metadata;
  const endpoints = readyEndpoints(service, slices);
  const reached = machines.filter((machine) => endpoints.some((endpoint) => isEndpoint(machine, endpoint)));
  const note = noteOf(service, endpoints, reached, machines);
  return {
    namespace,
    name,
    type: spec.type ?? 'ClusterIP',
    clusterIPs: (spec.clusterIPs ?? [spec.clusterIP ?? '']).filter((address) => address && address !== 'None'),
    ports: (spec.ports ?? []).map(({ name: portName, port, protocol = 'TCP', targetPort, nodePort }) => ({
      ...(portName && { name: portName }),
      port,
      protocol,
      ...(targetPort !== undefined && { targetPort }),
      ...(nodePort && { nodePort }),
    })),
    externalAddresses: [
      ...(spec.type === 'ExternalName' && spec.externalName ? [spec.externalName] : []),
      ...(status?.loadBalancer?.ingress ?? []).flatMap(({ ip, hostname }) => ip ?? hostname ?? []),
      ...(spec.externalIPs ?? []),
    ],
    // One of both families is in a slice of each.
    readyEndpoints: new Set(endpoints.map(({ targetRef, addresses }) => targetRef?.name ?? addresses[0])).size,
    vms: reached.map((machine) => machine.name),
    ...(note && { note }),
  };
}

type SliceEndpoint = NonNullable<EndpointSlice['endpoints']>[number];

export const slicesOf = ({ metadata }: Service, slices: readonly EndpointSlice[]): EndpointSlice[] =>
  slices.filter(
    (slice) =>
      slice.metadata.namespace === metadata.namespace && slice.metadata.labels?.[SERVICE_NAME_LABEL] === metadata.name,
  );

const readyEndpoints = (service: Service, slices: readonly EndpointSlice[]): SliceEndpoint[] =>
  slicesOf(service, slices).flatMap(({ endpoints = [] }) =>
    endpoints.filter(({ conditions }) => conditions?.ready !== false),
  );

/** Whether an endpoint is a VM: by its pod where that is known, else by its address. */
export function isEndpoint(
  { namespace, pod, pair: { vmi } }: Machine,
  { targetRef, addresses }: SliceEndpoint,
): boolean {
  if (pod && targetRef?.kind === 'Pod')
    return targetRef.name === pod.metadata.name && (targetRef.namespace ?? namespace) === namespace;
  return (vmi?.status?.interfaces ?? []).some(
    ({ ipAddress }) => ipAddress !== undefined && addresses.includes(ipAddress),
  );
}

/** Whether the selector of a Service selects a VM, ready or not. */
export function selectsMachine({ metadata, spec }: Service, { namespace, labels }: Machine): boolean {
  const selector = Object.entries(spec?.selector ?? {});
  return (
    selector.length > 0 && namespace === metadata.namespace && selector.every(([key, value]) => labels[key] === value)
  );
}

const selectorText = ({ spec }: Service): string =>
  Object.entries(spec?.selector ?? {})
    .map(([key, value]) => `${key}=${value}`)
    .join(',');

/** Why connections to a Service reach no VM; undefined if they reach something. */
function noteOf(
  service: Service,
  endpoints: readonly SliceEndpoint[],
  reached: readonly Machine[],
  machines: readonly Machine[],
): string | undefined {
  if (service.spec?.type === 'ExternalName') return undefined;
  const selected = machines.filter((machine) => selectsMachine(service, machine));
  // Such VMs are no endpoints, ready or not.
  const behind = reached.length > 0 ? reached : selected;
  if (behind.length > 0 && behind.every(isBehindNode)) return userNetworkingNote(behind);
  if (endpoints.length > 0) return undefined;
  const selector = selectorText(service);
  if (!selector) return 'it has neither a selector nor endpoints';
  if (selected.length === 0) return `no VM has the labels of its selector ${selector}`;
  const states = selected.map(({ name, state }) => `${name} is ${stateWords(state)}`);
  return `its selector ${selector} selects no VM that is ready: ${states.join(', ')}`;
}

const stateWords = (state: string): string => (state === 'Running' ? 'running, but not ready' : state.toLowerCase());

/** What to say of VMs whose pods have the address of their node. */
export function userNetworkingNote(machines: readonly Machine[]): string {
  const nodes = [...new Set(machines.flatMap(({ pair }) => pair.vmi?.status?.nodeName ?? []))];
  const vms = machines.map(({ name }) => name).join(', ');
  return `VM ${vms} has no address of its own, because node ${nodes.join(', ')} has user networking: connections end at the node`;
}
