import { type FieldError, fieldError } from '@vireo/api';
import type { GPU, HostDevice } from '@vireo/api/kinds/kubevirt/hostDevice.ts';
import type { ClaimRequest, Network } from '@vireo/api/kinds/kubevirt/network.ts';
import { duplicates, gateClosedText, type Rule, type Subject, when } from './rule.ts';

/** GPUs and host devices by dynamic resource allocation (DRA): each names one request of a ResourceClaim of the VMI. */
export const draDevices: Rule = (subject) => [
  ...repeatedClaims(subject),
  ...ofDevices(subject, GPUS),
  ...ofDevices(subject, HOST_DEVICES),
  ...sharedRequests(subject),
  ...unknownClaims(subject),
];

interface DeviceList {
  readonly list: 'gpus' | 'hostDevices';
  readonly word: string;
  readonly gate: string;
  /** Whether devices from claims and others may stand in one list. */
  readonly isMixable: boolean;
}

const GPUS: DeviceList = { list: 'gpus', word: 'GPU', gate: 'GPUsWithDRA', isMixable: false };
const HOST_DEVICES: DeviceList = {
  list: 'hostDevices',
  word: 'HostDevice',
  gate: 'HostDevicesWithDRA',
  isMixable: true,
};

type Device = GPU | HostDevice;

const devicesOf = ({ spec }: Subject, { list }: DeviceList): readonly Device[] => spec.domain.devices?.[list] ?? [];

const namesClaim = ({ claimName, requestName }: Device): boolean =>
  claimName !== undefined || requestName !== undefined;

const isClaimed = (device: Device): boolean => !device.deviceName && namesClaim(device);

const pairOf = ({ claimName, requestName }: ClaimRequest): string | undefined =>
  claimName && requestName ? `${claimName}/${requestName}` : undefined;

function repeatedClaims({ spec, path }: Subject): FieldError[] {
  const names = (spec.resourceClaims ?? []).map(({ name }) => name);
  return duplicates(names).map(([index]) =>
    fieldError(
      `${path}.resourceClaims[${index}].name`,
      `duplicate resourceClaims name ${JSON.stringify(names[index])}`,
      'FieldValueDuplicate',
    ),
  );
}

const isMixed = (devices: readonly Device[], { isMixable }: DeviceList): boolean =>
  !isMixable && devices.some(isClaimed) && !devices.every(isClaimed);

/** The claimed devices of a list whose claims are looked at: none while the list as a whole is refused. */
const acceptedDevices = (subject: Subject, kind: DeviceList): readonly Device[] =>
  isMixed(devicesOf(subject, kind), kind) || !subject.config.gates.has(kind.gate) ? [] : devicesOf(subject, kind);

function ofDevices(subject: Subject, kind: DeviceList): FieldError[] {
  const { list, word, gate } = kind;
  const devices = devicesOf(subject, kind);
  const field = `${subject.path}.domain.devices.${list}`;
  const prefix = `vmi.spec.domain.devices.${list} contains`;
  if (isMixed(devices, kind)) {
    return [fieldError(field, `${prefix} both DRA and non-DRA ${word}s; each ${word} must be either DRA or non-DRA`)];
  }
  const others = devices.filter((device) => !isClaimed(device));
  return [
    ...others.flatMap((device) => [
      ...when(
        !device.deviceName,
        field,
        `${prefix} ${word}s without deviceName or claimRequest; each ${word} must specify either a deviceName or a claimRequest`,
        'FieldValueRequired',
      ),
      ...when(
        device.deviceName && namesClaim(device),
        field,
        `${prefix} ${word}s with both deviceName and claimRequest`,
      ),
    ]),
    ...when(
      devices.some(isClaimed) && !subject.config.gates.has(gate),
      field,
      `${prefix} DRA enabled ${word}s but feature gate is not enabled`,
    ),
    ...acceptedDevices(subject, kind).flatMap((device, index) =>
      isClaimed(device) ? incomplete(device, `${field}[${index}]`, word) : [],
    ),
    ...duplicatePairs(acceptedDevices(subject, kind)).map(([index, pair]) =>
      fieldError(
        `${field}[${index}]`,
        `duplicate claimName/requestName pair ${JSON.stringify(pair)}`,
        'FieldValueDuplicate',
      ),
    ),
  ];
}

const incomplete = (request: ClaimRequest, field: string, word: string): FieldError[] =>
  (['claimName', 'requestName'] as const).flatMap((name) =>
    when(!request[name], `${field}.${name}`, `${name} is required for DRA ${word}`, 'FieldValueRequired'),
  );

/** Where a request is named that an earlier entry has. */
function duplicatePairs(requests: readonly ClaimRequest[]): (readonly [index: number, pair: string])[] {
  const pairs = requests.flatMap((request, index) => {
    const pair = pairOf(request);
    return pair === undefined ? [] : [{ index, pair }];
  });
  return duplicates(pairs.map(({ pair }) => pair)).flatMap(([at]) => {
    const repeated = pairs[at];
    return repeated ? [[repeated.index, repeated.pair] as const] : [];
  });
}

/** A request gives one device: a graphics card and another device cannot both be it. */
function sharedRequests(subject: Subject): FieldError[] {
  const cards = acceptedDevices(subject, GPUS).map(pairOf);
  const seen = new Set<string>();
  return acceptedDevices(subject, HOST_DEVICES).flatMap((device, index) => {
    const pair = pairOf(device);
    if (pair === undefined || seen.has(pair)) return [];
    seen.add(pair);
    const card = cards.indexOf(pair);
    return when(
      card >= 0,
      `${subject.path}.domain.devices.hostDevices[${index}]`,
      `duplicate claimName/requestName pair ${JSON.stringify(pair)} between GPUs[${card}] and HostDevices[${index}]`,
      'FieldValueDuplicate',
    );
  });
}

function unknownClaims(subject: Subject): FieldError[] {
  const known = new Set((subject.spec.resourceClaims ?? []).map(({ name }) => name));
  const used = [...acceptedDevices(subject, GPUS), ...acceptedDevices(subject, HOST_DEVICES)].filter(pairOf);
  return when(
    used.some(({ claimName = '' }) => !known.has(claimName)),
    `${subject.path}.resourceClaims`,
    'vmi.spec.resourceClaims must specify all claims used in vmi.spec.domain.devices.gpus and vmi.spec.domain.devices.hostDevices',
  );
}

const NETWORK_GATE = 'NetworkDevicesWithDRA';

/** Networks whose card comes from a ResourceClaim. */
export const draNetworks: Rule = (subject) => {
  const { spec, path, config } = subject;
  const networks = spec.networks ?? [];
  if (!networks.some(({ resourceClaim }) => resourceClaim)) return [];
  if (!config.gates.has(NETWORK_GATE)) return [fieldError(`${path}.networks`, gateClosedText(NETWORK_GATE))];
  return [
    ...networks.flatMap((network, index) => ofNetwork(subject, network, index)),
    ...duplicatePairs(networks.map(({ resourceClaim }) => resourceClaim ?? {})).map(([index, pair]) =>
      fieldError(
        `${path}.networks[${index}]`,
        `duplicate claimName/requestName combination ${JSON.stringify(pair)}`,
        'FieldValueDuplicate',
      ),
    ),
    ...when(
      networks.some(({ multus, resourceClaim }) => multus && !resourceClaim),
      `${path}.networks`,
      'mixing Multus and DRA resourceClaim networks in the same VMI is not supported',
    ),
  ];
};

function ofNetwork({ spec, path }: Subject, { name, resourceClaim }: Network, index: number): FieldError[] {
  if (!resourceClaim) return [];
  const card = spec.domain.devices?.interfaces?.find((each) => each.name === name);
  const field = `${path}.networks[${index}].resourceClaim`;
  const { claimName } = resourceClaim;
  return [
    ...when(
      card && !card.sriov,
      `${path}.domain.devices.interfaces`,
      `DRA network ${JSON.stringify(name)} requires an SR-IOV interface binding`,
    ),
    ...incomplete(resourceClaim, field, 'network'),
    ...when(
      pairOf(resourceClaim) && !spec.resourceClaims?.some((claim) => claim.name === claimName),
      `${field}.claimName`,
      `network references resourceClaim ${JSON.stringify(claimName)} which is not defined in spec.resourceClaims`,
      'FieldValueNotFound',
    ),
  ];
}
