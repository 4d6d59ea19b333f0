import { describe, expect, it } from 'vitest';
import { clusterConfig } from '../clusterConfig.ts';
import { vmiWith } from '../testing/fixtures.ts';
import { kubevirtWith } from '../testing/kubevirt.ts';
import { D, type Domain, type Rest } from '../testing/specParts.ts';
import { validateVmi } from './index.ts';

const GATES = ['HostDevices', 'GPUsWithDRA', 'HostDevicesWithDRA', 'NetworkDevicesWithDRA'];
const withGates = (...featureGates: string[]) =>
  clusterConfig(kubevirtWith({ developerConfiguration: { featureGates } }));

const open = withGates(...GATES);
const closed = withGates('HostDevices');

const request = (claimName?: string, requestName?: string) => ({ claimName, requestName });
const claims = (...names: string[]): Rest => ({
  resourceClaims: names.map((name) => ({ name, resourceClaimName: `${name}-claim` })),
});
const gpus = (...given: object[]): Domain => ({
  devices: { gpus: given.map((each, index) => ({ name: `g${index}`, ...each })) },
});
const hostDevices = (...given: object[]): Domain => ({
  devices: { hostDevices: given.map((each, index) => ({ name: `h${index}`, ...each })) },
});
const cards = (...kinds: object[]): Domain => ({
  devices: { interfaces: kinds.map((kind, index) => ({ name: `n${index}`, ...kind })) },
});
const networks = (...given: object[]): Rest => ({
  networks: given.map((each, index) => ({ name: `n${index}`, ...each })),
});

/** Each: what the spec says, and type, field and words of what is wrong with it. */
type Case = [domain: Domain, rest: Rest, type: string, field: string, text: string];

const allOf = (domain: Domain, rest: Rest, config = open) =>
  validateVmi(vmiWith(domain, rest), config).map(({ type, field, text }) => [type, field, text]);

describe('devices from resource claims', () => {
  it.each<Case>([
    [{}, claims('a', 'a'), 'FieldValueDuplicate', 'spec.resourceClaims[1].name', 'duplicate resourceClaims name "a"'],
    [
      gpus(request('a', 'r'), { deviceName: 'vendor/card' }),
      claims('a'),
      'FieldValueInvalid',
      `${D}.gpus`,
      'vmi.spec.domain.devices.gpus contains both DRA and non-DRA GPUs; each GPU must be either DRA or non-DRA',
    ],
    [
      gpus({}),
      {},
      'FieldValueRequired',
      `${D}.gpus`,
      'vmi.spec.domain.devices.gpus contains GPUs without deviceName or claimRequest; each GPU must specify either a deviceName or a claimRequest',
    ],
    [
      hostDevices({ deviceName: 'vendor/nic', ...request('a', 'r') }),
      claims('a'),
      'FieldValueInvalid',
      `${D}.hostDevices`,
      'vmi.spec.domain.devices.hostDevices contains HostDevices with both deviceName and claimRequest',
    ],
    [
      gpus(request(undefined, 'r')),
      {},
      'FieldValueRequired',
      `${D}.gpus[0].claimName`,
      'claimName is required for DRA GPU',
    ],
    [
      hostDevices(request('a')),
      claims('a'),
      'FieldValueRequired',
      `${D}.hostDevices[0].requestName`,
      'requestName is required for DRA HostDevice',
    ],
    [
      hostDevices({ deviceName: 'vendor/nic' }, request('a', 'r'), request('a', 'r')),
      claims('a'),
      'FieldValueDuplicate',
      `${D}.hostDevices[2]`,
      'duplicate claimName/requestName pair "a/r"',
    ],
    [
      { devices: { ...gpus(request('a', 'r')).devices, ...hostDevices(request('a', 'r')).devices } },
      claims('a'),
      'FieldValueDuplicate',
      `${D}.hostDevices[0]`,
      'duplicate claimName/requestName pair "a/r" between GPUs[0] and HostDevices[0]',
    ],
    [
      gpus(request('b', 'r')),
      claims('a'),
      'FieldValueInvalid',
      'spec.resourceClaims',
      'vmi.spec.resourceClaims must specify all claims used in vmi.spec.domain.devices.gpus and vmi.spec.domain.devices.hostDevices',
    ],
  ])('%j %j: %s', (domain, rest, ...problem) => {
    expect(allOf(domain, rest)).toEqual([problem]);
  });

  it.each([
    ['gpus', 'GPU', gpus(request('a', 'r'))],
    ['hostDevices', 'HostDevice', hostDevices(request('a', 'r'))],
  ])('need their gate: %s', (list, word, domain) => {
    const text = `vmi.spec.domain.devices.${list} contains DRA enabled ${word}s but feature gate is not enabled`;
    expect(allOf(domain, {}, closed)).toEqual([['FieldValueInvalid', `${D}.${list}`, text]]);
  });

  it('are accepted where each has a request of its own, beside others', () => {
    const devices = {
      ...gpus(request('a', 'card')).devices,
      ...hostDevices({ deviceName: 'vendor/nic' }, request('a', 'nic'), request('b', 'nic')).devices,
    };
    expect(allOf({ devices }, claims('a', 'b'))).toEqual([]);
    expect(allOf(gpus({ deviceName: 'vendor/card' }), {}, closed)).toEqual([]);
  });
});

describe('networks from resource claims', () => {
  const sriov = { sriov: {} };
  const claimed = (claimName?: string, requestName?: string) => ({ resourceClaim: request(claimName, requestName) });

  it.each<Case>([
    [
      cards({ bridge: {} }),
      { ...networks(claimed('a', 'r')), ...claims('a') },
      'FieldValueInvalid',
      `${D}.interfaces`,
      'DRA network "n0" requires an SR-IOV interface binding',
    ],
    [
      cards(sriov),
      networks(claimed(undefined, 'r')),
      'FieldValueRequired',
      'spec.networks[0].resourceClaim.claimName',
      'claimName is required for DRA network',
    ],
    [
      cards(sriov),
      { ...networks(claimed('a')), ...claims('a') },
      'FieldValueRequired',
      'spec.networks[0].resourceClaim.requestName',
      'requestName is required for DRA network',
    ],
    [
      cards(sriov),
      networks(claimed('a', 'r')),
      'FieldValueNotFound',
      'spec.networks[0].resourceClaim.claimName',
      'network references resourceClaim "a" which is not defined in spec.resourceClaims',
    ],
    [
      cards(sriov, sriov),
      { ...networks(claimed('a', 'r'), claimed('a', 'r')), ...claims('a') },
      'FieldValueDuplicate',
      'spec.networks[1]',
      'duplicate claimName/requestName combination "a/r"',
    ],
    [
      cards(sriov, { bridge: {} }),
      { ...networks(claimed('a', 'r'), { multus: { networkName: 'lan' } }), ...claims('a') },
      'FieldValueInvalid',
      'spec.networks',
      'mixing Multus and DRA resourceClaim networks in the same VMI is not supported',
    ],
  ])('%j %j: %s', (domain, rest, ...problem) => {
    expect(allOf(domain, rest)).toEqual([problem]);
  });

  it('need their gate', () => {
    const text = 'NetworkDevicesWithDRA feature gate is not enabled in kubevirt-config';
    const rest = { ...networks(claimed('a', 'r')), ...claims('a') };
    expect(allOf(cards(sriov), rest, closed)).toEqual([['FieldValueInvalid', 'spec.networks', text]]);
  });

  it('are accepted with a card of their own each', () => {
    const rest = { ...networks(claimed('a', 'r'), claimed('a', 's'), { pod: {} }), ...claims('a') };
    expect(allOf(cards(sriov, sriov, { masquerade: {} }), rest)).toEqual([]);
  });
});
