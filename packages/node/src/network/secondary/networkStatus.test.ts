import { parseNetwork } from '@vireo/network';
import { expect, it } from 'vitest';
import { UID, vmiIn } from '../../testing/objects.ts';
import { networkStatus } from './networkStatus.ts';
import type { CardRecord } from './records.ts';

const vmi = vmiIn(
  'Running',
  {},
  {
    domain: { devices: { interfaces: [{ name: 'default' }, { name: 'blue' }, { name: 'gone', state: 'absent' }] } },
    networks: [
      { name: 'default', pod: {} },
      { name: 'blue', multus: { networkName: 'infra/lab' } },
      { name: 'gone', multus: { networkName: 'gone' } },
    ],
  },
);
const ipam = {
  type: 'static',
  addresses: [{ address: '10.77.0.5/24' }],
  dns: { nameservers: ['10.77.0.53', 'fd77::53'] },
};
const card: CardRecord = {
  uid: UID,
  iface: 'blue',
  vmi: 'shop/web',
  hostname: 'web',
  device: 'vt0',
  mac: '02:00:00:00:00:02',
  mtu: 1500,
  network: parseNetwork(JSON.stringify({ type: 'bridge', bridge: 'br1', ipam })).network,
  dhcp: { address: '10.77.0.5', address6: 'fd77::5', number: 1024 },
};
const macOf = (iface: string): string => (iface === 'default' ? '02:00:00:00:00:01' : '02:00:00:00:00:02');

it('a launcher says of its networks what Multus would', () => {
  expect(JSON.parse(networkStatus(vmi, [card], ['10.244.0.7', 'fd00:244::7'], macOf) ?? '')).toEqual([
    {
      name: 'vireo',
      interface: 'eth0',
      ips: ['10.244.0.7', 'fd00:244::7'],
      mac: '02:00:00:00:00:01',
      default: true,
      dns: {},
    },
    {
      name: 'infra/lab',
      interface: 'pod16477688c0e',
      ips: ['10.77.0.5', 'fd77::5'],
      mac: '02:00:00:00:00:02',
      dns: { nameservers: ['10.77.0.53', 'fd77::53'] },
    },
  ]);
});

it('a launcher with the pod network only says nothing', () => {
  const plain = vmiIn(
    'Running',
    {},
    { domain: { devices: { interfaces: [{ name: 'default' }] } }, networks: [{ name: 'default', pod: {} }] },
  );
  expect(networkStatus(plain, [], ['10.244.0.7'], macOf)).toBeUndefined();
});
