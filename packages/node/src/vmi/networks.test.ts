import { expect, it } from 'vitest';
import { userNetwork } from '../network/guestNetwork.ts';
import { vmiIn } from '../testing/objects.ts';
import { type GuestInterface, interfaceStatus, networkBackends } from './networks.ts';

const vmi = vmiIn(
  'Running',
  {},
  {
    domain: {
      devices: {
        interfaces: [
          { name: 'default', masquerade: {} },
          { name: 'blue', bridge: {} },
        ],
      },
    },
    networks: [
      { name: 'default', pod: {} },
      { name: 'blue', multus: { networkName: 'blue' } },
    ],
  },
);
const first = { mac: '02:00:00:00:00:0a', linkState: 'up', queueCount: 1 } as const;
const second = { mac: '02:00:00:00:00:0b', linkState: 'down', queueCount: 0 } as const;
const view = {
  machineType: 'q35',
  diskTargets: {},
  drives: {},
  isAgentConnected: true,
  interfaces: { default: first, blue: second },
};

it('a guest without an agent has the interfaces that libvirt knows', () => {
  expect(interfaceStatus(vmi, view, [])).toEqual([
    { name: 'default', ...first, infoSource: 'domain', podInterfaceName: 'eth0' },
    { name: 'blue', ...second, infoSource: 'domain, multus-status', podInterfaceName: 'pod16477688c0e' },
  ]);
});

it('a card that has left the spec is told of while the guest has it', () => {
  const less = { ...vmi, spec: { domain: { devices: {} } } };
  expect(interfaceStatus(less, view, []).map(({ name }) => name)).toEqual(['default', 'blue']);
});

it('an agent adds names and addresses, and what the guest made itself', () => {
  const seen: GuestInterface[] = [
    { name: 'docker0', mac: '02:42:00:00:00:01', addresses: ['172.17.0.1'] },
    { name: 'enp1s0', mac: '02:00:00:00:00:0A', addresses: ['10.0.2.15', 'fe80::a'] },
    { name: 'enp2s0', mac: second.mac, addresses: [] },
  ];
  const addresses = { ipAddress: '10.0.2.15', ipAddresses: ['10.0.2.15', 'fe80::a'] };
  const both = { infoSource: 'domain, guest-agent' };
  expect(interfaceStatus(vmi, view, seen)).toEqual([
    { name: 'default', ...first, ...both, podInterfaceName: 'eth0', interfaceName: 'enp1s0', ...addresses },
    {
      name: 'blue',
      ...second,
      infoSource: 'domain, guest-agent, multus-status',
      podInterfaceName: 'pod16477688c0e',
      interfaceName: 'enp2s0',
    },
    {
      mac: '02:42:00:00:00:01',
      infoSource: 'guest-agent',
      interfaceName: 'docker0',
      ipAddress: '172.17.0.1',
      ipAddresses: ['172.17.0.1'],
    },
  ]);
});

it('an address that the node gave comes before what the agent adds', () => {
  const seen: GuestInterface[] = [{ name: 'enp2s0', mac: second.mac, addresses: ['fe80::b', '10.77.0.5'] }];
  const known = interfaceStatus(vmi, view, [], undefined, { blue: ['10.77.0.5', 'fd77::5'] })[1];
  expect(known).toMatchObject({ ipAddress: '10.77.0.5', ipAddresses: ['10.77.0.5', 'fd77::5'] });
  const told = interfaceStatus(vmi, view, seen, undefined, { blue: ['10.77.0.5', 'fd77::5'] })[1];
  expect(told).toMatchObject({ ipAddress: '10.77.0.5', ipAddresses: ['10.77.0.5', 'fd77::5', 'fe80::b'] });
});

it('interfaces are connected each to its network', async () => {
  const networks = {
    network: userNetwork('', ''),
    secondaryNetworks: {
      connect: async (_: unknown, { name }: { name: string }, mac: string) =>
        ({ kind: 'bridge', bridge: `br-${name}`, mac }) as const,
    },
  };
  const interfaces = [
    { name: 'default' },
    { name: 'blue', macAddress: '02-00-00-00-BE-EF' },
    { name: 'gone', state: 'absent' },
  ];
  const backends = await networkBackends(
    { ...vmi, spec: { ...vmi.spec, domain: { devices: { interfaces } } } },
    networks,
  );
  expect(backends).toEqual({
    default: { kind: 'user', mac: expect.stringMatching(/^02:/) },
    blue: { kind: 'bridge', bridge: 'br-blue', mac: '02:00:00:00:be:ef' },
  });
});
