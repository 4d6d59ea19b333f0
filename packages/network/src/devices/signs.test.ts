import { expect, it } from 'vitest';
import { type ExpectedDevice, signsOf } from './signs.ts';

const EXPECTED: Readonly<Record<string, ExpectedDevice>> = {
  vt0: {
    mtu: 1450,
    has: new Set(['link', 'route 10.244.0.7', 'neighbour 10.244.0.7', 'inet forwarding', 'inet proxy_neigh']),
  },
  vireo0: { has: new Set(['link', 'address 10.244.0.1/32', 'route 10.244.0.0/16']) },
  all: { has: new Set(['inet forwarding']) },
};

it.each([
  ['a card that comes up', '[LINK]3: vt0: <NO-CARRIER,BROADCAST,UP> mtu 1450 qdisc x \\ link/ether', 'right vt0 link'],
  ['a card before it is up', '[LINK]3: vt0: <BROADCAST,MULTICAST> mtu 1450 qdisc noop', 'wrong vt0 link'],
  ['another MTU', '[LINK]3: vt0: <BROADCAST,UP,LOWER_UP> mtu 1280 qdisc noop', 'wrong vt0 link'],
  ['a card that goes', '[LINK]Deleted 3: vt0: <BROADCAST,UP> mtu 1450 qdisc noop', 'wrong vt0 link'],
  ['a device of others', '[LINK]Deleted 3: eth0: <BROADCAST,UP> mtu 1450 qdisc noop', ''],
  ['a device with a parent', '[LINK]3: eth0@if2: <BROADCAST> mtu 1450 qdisc noop', ''],
  [
    'an address that goes',
    '[ADDR]Deleted 2: vireo0    inet 10.244.0.1/32 scope global vireo0\\  valid_lft forever',
    'wrong vireo0 address 10.244.0.1/32',
  ],
  ['an address of its own', '[ADDR]Deleted 2: vireo0    inet6 fe80::1234/64 scope link \\  valid_lft forever', ''],
  ['a route that goes', '[ROUTE]Deleted 10.244.0.7 dev vt0 scope link src 10.244.0.254', 'wrong vt0 route 10.244.0.7'],
  ['a route that comes', '[ROUTE]10.244.0.0/16 dev vireo0 scope link', 'right vireo0 route 10.244.0.0/16'],
  ['a route of the kernel', '[ROUTE]Deleted local 10.244.0.1 dev vireo0 table local proto kernel', ''],
  [
    'a neighbour that goes',
    '[NEIGH]Deleted 10.244.0.7 dev vt0 lladdr 02:00 PERMANENT',
    'wrong vt0 neighbour 10.244.0.7',
  ],
  ['a neighbour that fails', '[NEIGH]10.244.0.7 dev vt0 FAILED', 'wrong vt0 neighbour 10.244.0.7'],
  ['a neighbour that comes', '[NEIGH]10.244.0.7 dev vt0 lladdr 02:00 PERMANENT', 'right vt0 neighbour 10.244.0.7'],
  ['a neighbour that was learnt', '[NEIGH]Deleted fe80::7 dev vt0 lladdr 02:00 STALE', ''],
  ['an entry of a bridge', '[NEIGH]Deleted dev vireo0 lladdr fe:4b PERMANENT', ''],
  ['a setting', '[NETCONF]inet vt0 proxy_neigh off', 'wrong vt0 inet proxy_neigh'],
  [
    'the settings of a new device',
    '[NETCONF]inet vt0 forwarding on rp_filter off mc_forwarding off proxy_neigh off',
    'right vt0 inet forwarding; wrong vt0 inet proxy_neigh',
  ],
  ['settings that go with a device', '[NETCONF]Deleted inet vt0', ''],
  ['a setting of the host', '[NETCONF]inet all forwarding off', 'wrong all inet forwarding'],
  ['one that does not matter', '[NETCONF]inet6 all forwarding off', ''],
  ['anything else', 'Error: something', ''],
])('%s is told from its line', (_, line, signs) => {
  const found = signsOf(line, (device) => EXPECTED[device]);
  expect(
    found.map(({ device, about, isWrong }) => `${isWrong ? 'wrong' : 'right'} ${device} ${about}`).join('; '),
  ).toBe(signs);
});
