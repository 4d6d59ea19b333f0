import { type FieldError, field, type Service, type ServiceSpec, type UnknownObject } from '@vireo/api';
import { defineStrategy } from '../define.ts';
import { sameValue } from '../immutable.ts';
import type { Lookup } from '../strategy.ts';
import { allocateClusterIp, allocateNodePort, isServiceIp, NODE_PORTS, SERVICE_RANGE } from './allocation.ts';
import { dropFieldsOfOldType } from './serviceType.ts';
import { needsClusterIp, usesNodePorts, validateService } from './serviceValidation.ts';

export const serviceStrategy = defineStrategy<Service>({
  nameRule: 'label',
  createOnUpdate: true,

  prepareForCreate(service, { lookup }) {
    service.status = { loadBalancer: {} };
    allocate(service, lookup);
  },

  prepareForUpdate(service, old, { subresource, lookup }) {
    if (subresource !== '') return;
    service.spec = { ...service.spec };
    followClusterIp(service.spec, old.spec);
    dropFieldsOfOldType(service, old);
    keepAllocated(service, old);
    allocate(service, lookup);
  },

  validate: (service, { subresource, lookup }) =>
    subresource === 'status' ? [] : [...validateService(service), ...validateAllocation(service, lookup)],

  validateUpdate(service, old, { subresource }) {
    if (subresource === 'status' || !needsClusterIp(service) || !needsClusterIp(old)) return [];
    const before = old.spec?.clusterIP;
    if (!before || service.spec?.clusterIP === before) return [];
    return [field.invalid('spec.clusterIPs[0]', service.spec?.clusterIPs ?? [], 'may not change once set')];
  },
});

/** Clients that know one address only write the older field; the newer one then follows it. */
function followClusterIp(spec: ServiceSpec, old: ServiceSpec | undefined): void {
  if (spec.clusterIP && spec.clusterIP !== old?.clusterIP && sameValue(spec.clusterIPs, old?.clusterIPs)) {
    spec.clusterIPs = [spec.clusterIP];
  }
}

/** Fills in what only the server can choose: address, node ports, and the families they imply. */
function allocate(service: Service, lookup: Lookup): void {
  const spec = { ...service.spec };
  service.spec = spec;
  if (!needsClusterIp(service)) {
    for (const name of ['clusterIP', 'clusterIPs', 'ipFamilies', 'ipFamilyPolicy'] as const) {
      if (!spec[name] || spec[name]?.length === 0) delete spec[name];
    }
    return;
  }
  const others = otherServices(service, lookup);
  spec.clusterIP ||= spec.clusterIPs?.[0] || allocateClusterIp(usedAddresses(others)) || '';
  if (!spec.clusterIPs?.length) spec.clusterIPs = spec.clusterIP ? [spec.clusterIP] : [];
  if (!spec.ipFamilies?.length) spec.ipFamilies = ['IPv4'];
  spec.ipFamilyPolicy ||= 'SingleStack';
  if (!usesNodePorts(service)) return;
  const used = usedPorts(others);
  for (const { nodePort } of spec.ports ?? []) if (nodePort) used.add(nodePort);
  spec.ports = (spec.ports ?? []).map((port) => {
    if (port.nodePort) return port;
    const nodePort = allocateNodePort(used);
    if (nodePort === undefined) return port;
    used.add(nodePort);
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
  if (!usesNodePorts(service) || !usesNodePorts(old)) return;
  spec.ports = (spec.ports ?? []).map((port) => {
    const before = old.spec?.ports?.find(
      (other) => other.port === port.port && (other.protocol ?? 'TCP') === (port.protocol ?? 'TCP'),
    );
    return port.nodePort || !before?.nodePort ? port : { ...port, nodePort: before.nodePort };
  });
}

function validateAllocation(service: Service, lookup: Lookup): FieldError[] {
  const { clusterIP, clusterIPs = [], ports = [] } = service.spec ?? {};
  if (!needsClusterIp(service)) return [];
  const others = otherServices(service, lookup);
  const used = usedPorts(others);
  return [
    ...(clusterIP
      ? []
      : [field.invalid('spec.clusterIPs', clusterIPs, 'failed to allocate a serviceIP: range is full')]),
    ...clusterIPs
      .filter((address) => address !== 'None')
      .flatMap((address) => {
        if (!isServiceIp(address)) {
          return [
            field.invalid(
              'spec.clusterIPs',
              clusterIPs,
              `failed to allocate IP ${address}: the provided IP (${address}) is not in the valid range. ` +
                `The range of valid IPs is ${SERVICE_RANGE}`,
            ),
          ];
        }
        return usedAddresses(others).has(address)
          ? [
              field.invalid(
                'spec.clusterIPs',
                clusterIPs,
                `failed to allocate IP ${address}: provided IP is already allocated`,
              ),
            ]
          : [];
      }),
    ...ports.flatMap(({ nodePort }, index) => {
      const path = `spec.ports[${index}].nodePort`;
      if (!nodePort || !usesNodePorts(service)) return [];
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
    }),
  ];
}

const otherServices = (service: Service, lookup: Lookup): Service[] =>
  lookup.list('', 'services').filter((other) => !isSame(other, service)) as unknown as Service[];

const isSame = (a: UnknownObject, b: Service): boolean =>
  a.metadata.name === b.metadata.name && a.metadata.namespace === b.metadata.namespace;

const usedAddresses = (services: readonly Service[]): Set<string> =>
  new Set(services.flatMap(({ spec }) => spec?.clusterIPs ?? (spec?.clusterIP ? [spec.clusterIP] : [])));

const usedPorts = (services: readonly Service[]): Set<number> =>
  new Set(services.flatMap(({ spec }) => (spec?.ports ?? []).flatMap(({ nodePort }) => nodePort ?? [])));
