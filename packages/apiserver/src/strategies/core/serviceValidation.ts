import { type FieldError, field, type Service, type ServicePort } from '@vireo/api';
import { dnsLabel, dnsSubdomain, qualifiedNameErrors } from '@vireo/api/names.ts';
import { duplicates, each, inRange, invalidFor, oneOf, optionalText, requiredText } from '../fields.ts';
import { ipErrors } from '../names.ts';
import { validatePort } from '../podSpec/probes.ts';
import { validateLabels } from '../selectors.ts';
import { specialAddressErrors } from './addresses.ts';
import { validateExposure } from './serviceExposure.ts';

const TYPES = ['ClusterIP', 'ExternalName', 'LoadBalancer', 'NodePort'];

export const needsClusterIp = ({ spec }: Service): boolean => (spec?.type ?? 'ClusterIP') !== 'ExternalName';

export const usesNodePorts = ({ spec }: Service): boolean =>
  spec?.type === 'NodePort' || (spec?.type === 'LoadBalancer' && spec.allocateLoadBalancerNodePorts !== false);

/** A service by itself; what it shares with others (addresses, ports) is checked where it is allocated. */
export function validateService(service: Service): FieldError[] {
  const spec = service.spec ?? {};
  const isHeadless = spec.clusterIP === 'None';
  return [
    ...oneOf('spec.type', spec.type, TYPES),
    ...((spec.ports ?? []).length === 0 && needsClusterIp(service) && !isHeadless
      ? [field.required('spec.ports')]
      : []),
    ...validatePorts(spec.ports, service),
    ...validateLabels(spec.selector, 'spec.selector'),
    ...validateAddresses(service),
    ...each(spec.externalIPs, 'spec.externalIPs', (address, at) =>
      invalidFor(at, address, [...ipErrors(address), ...specialAddressErrors(address)]),
    ),
    ...validateExposure(service),
  ];
}

function validatePorts(ports: readonly ServicePort[] = [], service: Service): FieldError[] {
  const named = ports.length > 1;
  const mayHaveNodePort = service.spec?.type === 'NodePort' || service.spec?.type === 'LoadBalancer';
  return [
    ...each(ports, 'spec.ports', (port, at) => [
      ...(named ? requiredText(`${at}.name`, port.name, dnsLabel) : optionalText(`${at}.name`, port.name, dnsLabel)),
      ...inRange(`${at}.port`, port.port ?? 0, 1, 65535),
      ...oneOf(`${at}.protocol`, port.protocol ?? 'TCP', ['SCTP', 'TCP', 'UDP']),
      ...(port.targetPort === undefined ? [] : validatePort(port.targetPort, `${at}.targetPort`)),
      ...optionalText(`${at}.appProtocol`, port.appProtocol, qualifiedNameErrors),
      ...(port.nodePort && !mayHaveNodePort
        ? [field.forbidden(`${at}.nodePort`, `may not be used when \`type\` is '${service.spec?.type ?? 'ClusterIP'}'`)]
        : []),
    ]),
    ...duplicates(
      ports,
      (port) => port.name,
      (index) => `spec.ports[${index}].name`,
    ),
    ...duplicateErrors(ports, (port) => ({ port: port.port, protocol: port.protocol ?? 'TCP' }), ''),
    ...duplicateErrors(
      ports,
      (port) => port.nodePort && { nodePort: port.nodePort, protocol: port.protocol ?? 'TCP' },
      '.nodePort',
    ),
  ];
}

function duplicateErrors(
  ports: readonly ServicePort[],
  keyOf: (port: ServicePort) => object | 0 | undefined,
  suffix: string,
): FieldError[] {
  const keys = ports.map((port) => JSON.stringify(keyOf(port) || null));
  return ports.flatMap((port, index) => {
    const key = keyOf(port);
    return key && keys.indexOf(JSON.stringify(key)) !== index
      ? [field.duplicate(`spec.ports[${index}]${suffix}`, key)]
      : [];
  });
}

function validateAddresses(service: Service): FieldError[] {
  const { clusterIP, clusterIPs = [], externalName, ipFamilyPolicy, type } = service.spec ?? {};
  if (type === 'ExternalName') {
    return [
      ...requiredText('spec.externalName', externalName?.replace(/\.$/, ''), dnsSubdomain),
      ...(clusterIPs.length > 0 || clusterIP
        ? [field.forbidden('spec.clusterIPs', "may not be set when `type` is 'ExternalName'")]
        : []),
    ];
  }
  const isHeadless = clusterIP === 'None';
  return [
    ...(isHeadless && (type === 'LoadBalancer' || type === 'NodePort')
      ? [field.invalid('spec.clusterIPs[0]', 'None', `may not be set to 'None' for ${type} services`)]
      : []),
    ...(clusterIP && clusterIPs.length > 0 && clusterIPs[0] !== clusterIP
      ? [field.invalid('spec.clusterIPs', clusterIPs, 'first value must match `clusterIP`')]
      : []),
    ...each(clusterIPs, 'spec.clusterIPs', (address, at) =>
      address === 'None' ? [] : invalidFor(at, address, ipErrors(address)),
    ),
    ...oneOf('spec.ipFamilyPolicy', ipFamilyPolicy, ['PreferDualStack', 'RequireDualStack', 'SingleStack']),
  ];
}
