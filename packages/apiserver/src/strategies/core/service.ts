import { isIPv6 } from 'node:net';
import {
  type FieldError,
  field,
  type Service,
  type ServicePort,
  type ServiceSpec,
  type UnknownObject,
} from '@vireo/api';
import { defineStrategy } from '../define.ts';
import { sameValue } from '../immutable.ts';
import type { Lookup } from '../strategy.ts';
import { canonicalAddress } from './addresses.ts';
import {
  allocateClusterIp,
  allocateNodePort,
  cidrsOf,
  familiesIn,
  isServiceIp,
  NODE_PORTS,
  serviceCidrs,
} from './allocation.ts';
import { needsHealthCheck, validateLoadBalancerStatus } from './serviceExposure.ts';
import { chooseFamilies, type IpFamily, validateFamilies, validateSameFamilies } from './serviceFamilies.ts';
import { dropFieldsOfOldType } from './serviceType.ts';
import { needsClusterIp, usesNodePorts, validateService } from './serviceValidation.ts';

export const serviceStrategy = defineStrategy<Service>({
  nameRule: 'label',
  createOnUpdate: true,

  prepareForCreate(service, { lookup }) {
    service.status = { loadBalancer: {} };
    allocate(service, undefined, lookup);
  },

  prepareForUpdate(service, old, { subresource, lookup }) {
    if (subresource !== '') return;
    service.spec = { ...service.spec };
    followClusterIp(service.spec, old.spec);
    dropFieldsOfOldType(service, old);
    keepAllocated(service, old);
    allocate(service, old, lookup);
  },

  validate: (service, { subresource, lookup }) =>
    subresource === 'status'
      ? validateLoadBalancerStatus(service)
      : [
          ...validateService(service),
          ...(needsClusterIp(service) ? validateFamilies(service, familiesIn(serviceCidrs(lookup))) : []),
          ...validateAllocation(service, lookup),
        ],

  validateUpdate: (service, old, { subresource }) =>
    subresource === 'status'
      ? []
      : [
          ...validateSameAddress(service, old),
          ...(needsClusterIp(service) && needsClusterIp(old) ? validateSameFamilies(service, old) : []),
          ...validateSameHealthCheck(service, old),
          ...validateSameClass(service, old),
        ],
});

function validateSameAddress(service: Service, old: Service): FieldError[] {
  const before = old.spec?.clusterIP;
  if (!needsClusterIp(service) || !needsClusterIp(old) || !before || service.spec?.clusterIP === before) return [];
  return [field.invalid('spec.clusterIPs[0]', service.spec?.clusterIPs ?? [], 'may not change once set')];
}

function validateSameHealthCheck(service: Service, old: Service): FieldError[] {
  const isChanged = service.spec?.healthCheckNodePort !== old.spec?.healthCheckNodePort;
  return needsHealthCheck(service) && needsHealthCheck(old) && isChanged && old.spec?.healthCheckNodePort
    ? [field.forbidden('spec.healthCheckNodePort', 'field is immutable')]
    : [];
}

/** The class is who makes the load balancer: another one would not know of what the first has made. */
function validateSameClass({ spec }: Service, { spec: old }: Service): FieldError[] {
  const isBalanced = spec?.type === 'LoadBalancer' && old?.type === 'LoadBalancer';
  return isBalanced && spec.loadBalancerClass !== old.loadBalancerClass
    ? [field.invalid('spec.loadBalancerClass', spec.loadBalancerClass ?? null, 'may not change once set')]
    : [];
}

/** Clients that know one address only write the older field; the newer one then follows it. */
function followClusterIp(spec: ServiceSpec, old: ServiceSpec | undefined): void {
  if (spec.clusterIP && spec.clusterIP !== old?.clusterIP && sameValue(spec.clusterIPs, old?.clusterIPs)) {
    spec.clusterIPs = [spec.clusterIP];
  }
}

/** Fills in what only the server can choose: address, node ports, and the families they imply. */
function allocate(service: Service, old: Service | undefined, lookup: Lookup): void {
  const spec = { ...service.spec };
  service.spec = spec;
  if (!needsClusterIp(service)) {
    for (const name of ['clusterIP', 'clusterIPs', 'ipFamilies', 'ipFamilyPolicy'] as const) {
      if (!spec[name] || spec[name]?.length === 0) delete spec[name];
    }
    return;
  }
  const others = otherServices(service, lookup);
  if (!spec.clusterIPs?.length) spec.clusterIPs = spec.clusterIP ? [spec.clusterIP] : [];
  const cidrs = serviceCidrs(lookup);
  const before = old && needsClusterIp(old) ? old.spec : undefined;
  chooseFamilies(spec, before, familiesIn(cidrs));
  if (spec.clusterIPs?.[0] !== 'None') spec.clusterIPs = allocateAddresses(spec, usedAddresses(others), cidrs);
  spec.clusterIP ||= spec.clusterIPs?.[0] ?? '';
  const used = usedPorts(others);
  if (usesNodePorts(service)) spec.ports = withNodePorts(spec.ports ?? [], used);
  for (const { nodePort } of spec.ports ?? []) if (nodePort) used.add(nodePort);
  if (!needsHealthCheck(service) || spec.healthCheckNodePort) return;
  const port = allocateNodePort(used);
  if (port !== undefined) spec.healthCheckNodePort = port;
}

/** An address of each family; those that are there stay. */
function allocateAddresses(
  { clusterIPs = [], ipFamilies = [] }: ServiceSpec,
  used: ReadonlySet<string>,
  cidrs: readonly string[],
): string[] {
  const missing = (ipFamilies as IpFamily[]).slice(clusterIPs.length);
  const found = missing.map((family) => allocateClusterIp(used, cidrsOf(family, cidrs)) ?? '');
  return [...clusterIPs, ...found].filter((address, index) => address !== '' || index > 0);
}

/** Gives each port a node port. The same port of several protocols, as DNS has it, has the same one. */
function withNodePorts(ports: readonly ServicePort[], usedByOthers: ReadonlySet<number>): ServicePort[] {
  const used = new Set(usedByOthers);
  const chosen = new Map<number, number>();
  for (const { port, nodePort } of ports) {
    if (!nodePort) continue;
    used.add(nodePort);
    if (!chosen.has(port)) chosen.set(port, nodePort);
  }
  return ports.map((port) => {
    if (port.nodePort) return port;
    const nodePort = chosen.get(port.port) ?? allocateNodePort(used);
    if (nodePort === undefined) return port;
    used.add(nodePort);
    chosen.set(port.port, nodePort);
    return { ...port, nodePort };
  });
}

/** A client that leaves out what the server chose means "as it is". */
function keepAllocated(service: Service, old: Service): void {
  const spec = { ...service.spec };
  service.spec = spec;
  if (needsClusterIp(service) && needsClusterIp(old) && !spec.clusterIP) {
    if (old.spec?.clusterIP) spec.clusterIP = old.spec.clusterIP;
    if (!spec.clusterIPs?.length && old.spec?.clusterIPs) spec.clusterIPs = old.spec.clusterIPs;
  }
  const { healthCheckNodePort } = old.spec ?? {};
  if (needsHealthCheck(service) && needsHealthCheck(old) && healthCheckNodePort && !spec.healthCheckNodePort)
    spec.healthCheckNodePort = healthCheckNodePort;
  if (!usesNodePorts(service) || !usesNodePorts(old)) return;
  spec.ports = (spec.ports ?? []).map((port) => {
    const before = old.spec?.ports?.find(
      (other) => other.port === port.port && (other.protocol ?? 'TCP') === (port.protocol ?? 'TCP'),
    );
    return port.nodePort || !before?.nodePort ? port : { ...port, nodePort: before.nodePort };
  });
}

function validateAllocation(service: Service, lookup: Lookup): FieldError[] {
  const { clusterIP, clusterIPs = [], ports = [], healthCheckNodePort } = service.spec ?? {};
  if (!needsClusterIp(service)) return [];
  const others = otherServices(service, lookup);
  const used = usedPorts(others);
  const cidrs = serviceCidrs(lookup);
  // A Service keeps its address when the ranges change.
  const { name = '', namespace } = service.metadata;
  const stored = lookup.get('', 'services', namespace, name) as Service | undefined;
  const isKept = (address: string): boolean => stored?.spec?.clusterIPs?.includes(address) === true;
  return [
    ...(clusterIP && !clusterIPs.includes('')
      ? []
      : [field.invalid('spec.clusterIPs', clusterIPs, 'failed to allocate a serviceIP: range is full')]),
    ...clusterIPs
      .filter((address) => address !== 'None' && address !== '')
      .flatMap((address) => {
        if (!isServiceIp(address, cidrs) && !isKept(address)) {
          return [
            field.invalid(
              'spec.clusterIPs',
              clusterIPs,
              `failed to allocate IP ${address}: the provided IP (${address}) is not in the valid range. ` +
                `The range of valid IPs is ${sameFamily(address, cidrs).join(', ')}`,
            ),
          ];
        }
        return usedAddresses(others).has(canonicalAddress(address))
          ? [
              field.invalid(
                'spec.clusterIPs',
                clusterIPs,
                `failed to allocate IP ${address}: provided IP is already allocated`,
              ),
            ]
          : [];
      }),
    ...validateNodePort('spec.healthCheckNodePort', healthCheckNodePort, used),
    ...ports.flatMap(({ nodePort }, index) => validateNodePort(`spec.ports[${index}].nodePort`, nodePort, used)),
  ];
}

function validateNodePort(path: string, nodePort: number | undefined, used: ReadonlySet<number>): FieldError[] {
  if (!nodePort) return [];
  if (nodePort < NODE_PORTS.first || nodePort > NODE_PORTS.last) {
    return [
      field.invalid(
        path,
        nodePort,
        `provided port is not in the valid range. The range of valid ports is ${NODE_PORTS.first}-${NODE_PORTS.last}`,
      ),
    ];
  }
  return used.has(nodePort) ? [field.invalid(path, nodePort, 'provided port is already allocated')] : [];
}

const otherServices = (service: Service, lookup: Lookup): Service[] =>
  lookup.list('', 'services').filter((other) => !isSame(other, service)) as unknown as Service[];

const isSame = (a: UnknownObject, b: Service): boolean =>
  a.metadata.name === b.metadata.name && a.metadata.namespace === b.metadata.namespace;

const usedAddresses = (services: readonly Service[]): Set<string> =>
  new Set(
    services.flatMap(({ spec }) => spec?.clusterIPs ?? (spec?.clusterIP ? [spec.clusterIP] : [])).map(canonicalAddress),
  );

const sameFamily = (address: string, cidrs: readonly string[]): string[] =>
  cidrsOf(isIPv6(address) ? 'IPv6' : 'IPv4', cidrs);

const usedPorts = (services: readonly Service[]): Set<number> =>
  new Set(
    services.flatMap(({ spec }) => [
      ...(spec?.ports ?? []).flatMap(({ nodePort }) => nodePort ?? []),
      ...(spec?.healthCheckNodePort ? [spec.healthCheckNodePort] : []),
    ]),
  );
