import { BlockList, isIP } from 'node:net';
import {
  type FieldError,
  field,
  type IPBlock,
  type NetworkPolicy,
  type NetworkPolicyPeer,
  type NetworkPolicyPort,
} from '@vireo/api';
import { isCidr } from '../core/addresses.ts';
import { defineStrategy } from '../define.ts';
import { each, inRange, invalidFor, oneOf } from '../fields.ts';
import { portNameErrors } from '../names.ts';
import { validateLabelSelector } from '../selectors.ts';

const CIDR = 'must be a valid CIDR value, (e.g. 10.9.8.0/24 or 2001:db8::/64)';

export const networkPolicyStrategy = defineStrategy<NetworkPolicy>({
  validate({ spec = {} }) {
    const { policyTypes = [] } = spec;
    return [
      ...validateLabelSelector(spec.podSelector, 'spec.podSelector'),
      ...each(spec.ingress, 'spec.ingress', ({ ports, from }, path) => [
        ...each(ports, `${path}.ports`, validatePort),
        ...each(from, `${path}.from`, validatePeer),
      ]),
      ...each(spec.egress, 'spec.egress', ({ ports, to }, path) => [
        ...each(ports, `${path}.ports`, validatePort),
        ...each(to, `${path}.to`, validatePeer),
      ]),
      ...(policyTypes.length > 2
        ? [field.invalid('spec.policyTypes', policyTypes, 'may not specify more than two policyTypes')]
        : each(policyTypes, 'spec.policyTypes', (type, path) => oneOf(path, type, ['Egress', 'Ingress'], 'required'))),
    ];
  },
});

function validatePort({ protocol, port, endPort }: NetworkPolicyPort, path: string): FieldError[] {
  const invalidEnd = (why: string): FieldError[] => [field.invalid(`${path}.endPort`, endPort, why)];
  return [
    ...oneOf(`${path}.protocol`, protocol, ['SCTP', 'TCP', 'UDP']),
    ...(typeof port === 'number' ? inRange(`${path}.port`, port, 1, 65_535) : []),
    ...(typeof port === 'string' ? invalidFor(`${path}.port`, port, portNameErrors(port)) : []),
    ...(endPort !== undefined && port === undefined
      ? invalidEnd('must not be specified when `port` is not specified')
      : []),
    ...(endPort !== undefined && typeof port === 'string'
      ? invalidEnd('must not be specified when `port` is non-numeric')
      : []),
    ...(endPort !== undefined && typeof port === 'number'
      ? endPort < port
        ? invalidEnd('must be greater than or equal to `port`')
        : inRange(`${path}.endPort`, endPort, 1, 65_535)
      : []),
  ];
}

function validatePeer({ podSelector, namespaceSelector, ipBlock }: NetworkPolicyPeer, path: string): FieldError[] {
  if (!podSelector && !namespaceSelector && !ipBlock) return [field.required(path, 'must specify a peer')];
  return [
    ...validateLabelSelector(podSelector, `${path}.podSelector`),
    ...validateLabelSelector(namespaceSelector, `${path}.namespaceSelector`),
    ...(ipBlock ? validateBlock(ipBlock, `${path}.ipBlock`) : []),
    ...(ipBlock && (podSelector || namespaceSelector)
      ? [field.forbidden(path, 'may not specify both ipBlock and another peer')]
      : []),
  ];
}

function validateBlock({ cidr, except }: IPBlock, path: string): FieldError[] {
  if (!cidr) return [field.required(`${path}.cidr`)];
  if (!isCidr(cidr)) return [field.invalid(`${path}.cidr`, cidr, CIDR)];
  return each(except, `${path}.except`, (part, at) => {
    if (!isCidr(part)) return [field.invalid(at, part, CIDR)];
    return isStrictSubset(part, cidr) ? [] : [field.invalid(at, part, 'must be a strict subset of `cidr`')];
  });
}

function isStrictSubset(part: string, whole: string): boolean {
  const [address = '', bits = ''] = part.split('/');
  const [network = '', wholeBits = ''] = whole.split('/');
  if (isIP(address) !== isIP(network) || Number(bits) <= Number(wholeBits)) return false;
  const family = isIP(network) === 6 ? 'ipv6' : 'ipv4';
  const list = new BlockList();
  list.addSubnet(network, Number(wholeBits), family);
  return list.check(address, family);
}
