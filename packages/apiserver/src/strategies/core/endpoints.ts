import { isIP } from 'node:net';
import {
  type EndpointAddress,
  type EndpointSlice,
  type Endpoints,
  type FieldError,
  field,
  type ObjectMeta,
} from '@vireo/api';
import { EXTENSION_ACCOUNT_USER } from '@vireo/api/kinds/kubevirt/identities.ts';
import { dnsLabel, dnsSubdomain } from '@vireo/api/names.ts';
import { defineStrategy } from '../define.ts';
import { duplicates, each, inRange, invalidFor, oneOf, optionalText } from '../fields.ts';
import { immutable } from '../immutable.ts';
import { ipErrors } from '../names.ts';
import type { StrategyContext } from '../strategy.ts';
import { specialAddressErrors } from './addresses.ts';

const SERVER = 'system:apiserver';
/** The parts of an installation on one host, which are reached on its loopback address. */
const OWN_PARTS: readonly string[] = [SERVER, EXTENSION_ACCOUNT_USER];
const PROTOCOLS = ['SCTP', 'TCP', 'UDP'];
const MAX_ADDRESSES = 100;
const MAX_ENDPOINTS = 1000;

export const endpointsStrategy = defineStrategy<Endpoints>({
  createOnUpdate: true,
  validate({ metadata, subsets }, context) {
    const isKnown = knownAddresses(context, '', 'endpoints', metadata, (stored: Endpoints) =>
      (stored.subsets ?? []).flatMap(({ addresses = [], notReadyAddresses = [] }) =>
        [...addresses, ...notReadyAddresses].map(({ ip }) => ip),
      ),
    );
    const validateAddress = addressRule(isKnown);
    return each(subsets, 'subsets', (subset, path) => [
      ...(subset.addresses?.length || subset.notReadyAddresses?.length
        ? []
        : [field.required(path, 'must specify `addresses` or `notReadyAddresses`')]),
      ...each(subset.addresses, `${path}.addresses`, validateAddress),
      ...each(subset.notReadyAddresses, `${path}.notReadyAddresses`, validateAddress),
      ...each(subset.ports, `${path}.ports`, (port, at) => [
        ...((subset.ports?.length ?? 0) > 1 && !port.name ? [field.required(`${at}.name`)] : []),
        ...optionalText(`${at}.name`, port.name, dnsLabel),
        ...inRange(`${at}.port`, port.port ?? 0, 1, 65535),
        ...oneOf(`${at}.protocol`, port.protocol, PROTOCOLS),
      ]),
    ]);
  },
});

const addressRule =
  (isKnown: (address: string) => boolean) =>
  (address: EndpointAddress, path: string): FieldError[] => [
    ...invalidFor(`${path}.ip`, address.ip ?? '', endpointErrors(address.ip ?? '', isKnown)),
    ...optionalText(`${path}.hostname`, address.hostname, dnsLabel),
    ...optionalText(`${path}.nodeName`, address.nodeName, dnsSubdomain),
  ];

const endpointErrors = (address: string, isKnown: (address: string) => boolean): string[] => [
  ...ipErrors(address),
  ...(isKnown(address) ? [] : specialAddressErrors(address)),
];

/**
 * Which addresses are taken as they are: those that were there before, and all that this server or its extension writes
 * itself, which may listen on the loopback address alone.
 */
function knownAddresses<T>(
  { user, lookup }: StrategyContext,
  group: string,
  resource: string,
  { namespace, name = '' }: ObjectMeta,
  addressesOf: (stored: T) => readonly (string | undefined)[],
): (address: string) => boolean {
  if (OWN_PARTS.includes(user.username)) return () => true;
  let known: Set<string | undefined> | undefined;
  return (address) => {
    const stored = known ? undefined : lookup.get(group, resource, namespace, name);
    known ??= new Set(stored ? addressesOf(stored as T) : []);
    return known.has(address);
  };
}

/** What an older server let in stays, so that such a slice can still be changed. */
const familyErrors = (address: string, type: string, isKnown: (address: string) => boolean): string[] =>
  isIP(address) === 0 || `IPv${isIP(address)}` === type || isKnown(address) ? [] : [`must be an ${type} address`];

export const endpointSliceStrategy = defineStrategy<EndpointSlice>({
  validate(slice, context) {
    const isKnown = knownAddresses(
      context,
      'discovery.k8s.io',
      'endpointslices',
      slice.metadata,
      (stored: EndpointSlice) => (stored.endpoints ?? []).flatMap(({ addresses }) => addresses ?? []),
    );
    return [
      ...oneOf('addressType', slice.addressType, ['FQDN', 'IPv4', 'IPv6'], 'required'),
      ...((slice.endpoints?.length ?? 0) > MAX_ENDPOINTS
        ? [field.tooMany('endpoints', slice.endpoints?.length ?? 0, MAX_ENDPOINTS)]
        : []),
      ...each(slice.endpoints, 'endpoints', (endpoint, path) => [
        ...((endpoint.addresses ?? []).length === 0
          ? [field.required(`${path}.addresses`, 'must contain at least 1 address')]
          : []),
        ...((endpoint.addresses ?? []).length > MAX_ADDRESSES
          ? [field.tooMany(`${path}.addresses`, endpoint.addresses.length, MAX_ADDRESSES)]
          : []),
        ...each(endpoint.addresses, `${path}.addresses`, (address, at) =>
          invalidFor(
            at,
            address,
            slice.addressType === 'FQDN'
              ? dnsSubdomain(address)
              : [...familyErrors(address, slice.addressType, isKnown), ...endpointErrors(address, isKnown)],
          ),
        ),
        ...optionalText(`${path}.hostname`, endpoint.hostname, dnsLabel),
        ...optionalText(`${path}.nodeName`, endpoint.nodeName, dnsSubdomain),
      ]),
      ...each(slice.ports, 'ports', (port, path) => [
        ...optionalText(`${path}.name`, port.name, dnsLabel),
        ...oneOf(`${path}.protocol`, port.protocol, PROTOCOLS),
        ...inRange(`${path}.port`, port.port, 1, 65535),
      ]),
      ...duplicates(
        slice.ports,
        (port) => port.name,
        (index) => `ports[${index}].name`,
      ),
    ];
  },

  validateUpdate: (slice, old) => immutable('addressType', slice.addressType, old.addressType),
});
