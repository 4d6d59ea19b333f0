import type { Vmi } from '@vireo/api/kinds/kubevirt/vmi.ts';
import { describe, expect, it } from 'vitest';
import type { GuestCard } from './cards.ts';
import { networkPlan } from './index.ts';
import { type LeaseWishes, leaseOf, leaseWishes } from './lease.ts';

const config = { clusterCIDR: '10.244.0.0/16', serviceCIDR: '10.96.0.0/16', clusterDomain: 'cluster.local' };
const plan = networkPlan('vireo0', '10.244.3.0/24', config, 1);
const card: GuestCard = {
  uid: 'u',
  namespace: 'shop',
  name: 'web',
  iface: 'default',
  device: 'vt0',
  mac: '02:00:00:00:00:01',
  address: '10.244.3.7',
  mtu: 1450,
  hostname: 'web',
};
const lease = (more: Partial<GuestCard> = {}) => leaseOf({ ...card, ...more }, plan, config);
const OF_CLUSTER = ['shop.svc.cluster.local', 'svc.cluster.local', 'cluster.local'];

it('a guest is told its address, the way out, its name and where names are known', () => {
  expect(lease()).toMatchObject({
    address: '10.244.3.7',
    netmask: '255.255.0.0',
    router: '10.244.0.1',
    dnsServers: ['10.244.0.1'],
    search: OF_CLUSTER,
    hostname: 'web',
    mtu: 1450,
    extra: [],
  });
});

describe('names are looked up', () => {
  it.each<[string, Partial<GuestCard>, string[], string[]]>([
    ['in the subdomain first', { subdomain: 'db' }, ['10.244.0.1'], ['db.shop.svc.cluster.local', ...OF_CLUSTER]],
    ['as the host does, by policy Default', { wishes: { dnsPolicy: 'Default' } }, ['10.244.0.1'], []],
    [
      'only where dnsConfig says, by policy None',
      {
        wishes: {
          dnsPolicy: 'None',
          dnsConfig: { nameservers: ['192.0.2.53', 'fd00::1'], searches: ['example.org.'] },
        },
      },
      ['192.0.2.53'],
      ['example.org'],
    ],
    [
      'also where dnsConfig says',
      { wishes: { dnsConfig: { nameservers: ['192.0.2.53'], searches: ['example.org', 'not a domain'] } } },
      ['10.244.0.1', '192.0.2.53'],
      [...OF_CLUSTER, 'example.org'],
    ],
  ])('%s', (_, more, dnsServers, search) => {
    expect(lease(more)).toMatchObject({ dnsServers, search });
  });
});

it('a VMI has the DHCP options that its interface asks for', () => {
  const vmi = {
    spec: {
      domain: {
        devices: {
          interfaces: [
            {
              name: 'default',
              dhcpOptions: {
                bootFileName: 'pxelinux.0',
                tftpServerName: 'tftp.example.org',
                ntpServers: ['192.0.2.123'],
                privateOptions: [{ option: 240, value: 'extra' }],
              },
            },
          ],
        },
      },
    },
  } as unknown as Vmi;
  const wishes = leaseWishes(vmi, 'default') as LeaseWishes;
  expect(lease({ wishes }).extra?.map(([code, value]) => [code, value.toString('latin1')])).toEqual([
    [67, 'pxelinux.0'],
    [66, 'tftp.example.org'],
    [42, '\xc0\x00\x02\x7b'],
    [240, 'extra'],
  ]);
  expect(leaseWishes({ spec: { domain: { devices: {} } } } as unknown as Vmi, 'default')).toBeUndefined();
});
