import { type EndpointAddress, type EndpointSlice, type Endpoints, type FieldError, field } from '@vireo/api';
import { dnsLabel, dnsSubdomain } from '@vireo/api/names.ts';
import { defineStrategy } from '../define.ts';
import { duplicates, each, inRange, invalidFor, oneOf, optionalText } from '../fields.ts';
import { immutable } from '../immutable.ts';
import { ipErrors } from '../names.ts';

const PROTOCOLS = ['SCTP', 'TCP', 'UDP'];
const MAX_ADDRESSES = 100;
const MAX_ENDPOINTS = 1000;

export const endpointsStrategy = defineStrategy<Endpoints>({
  createOnUpdate: true,
  validate: ({ subsets }) =>
    each(subsets, 'subsets', (subset, path) => [
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
    ]),
});

const validateAddress = (address: EndpointAddress, path: string): FieldError[] => [
  ...invalidFor(`${path}.ip`, address.ip ?? '', ipErrors(address.ip ?? '')),
  ...optionalText(`${path}.hostname`, address.hostname, dnsLabel),
  ...optionalText(`${path}.nodeName`, address.nodeName, dnsSubdomain),
];

export const endpointSliceStrategy = defineStrategy<EndpointSlice>({
  validate: (slice) => [
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
        invalidFor(at, address, slice.addressType === 'FQDN' ? dnsSubdomain(address) : ipErrors(address)),
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
  ],

  validateUpdate: (slice, old) => immutable('addressType', slice.addressType, old.addressType),
});
