import { expect, it } from 'vitest';
import { DEFAULT_RANGES, type NetworkRanges, networkRanges } from './networkRanges.ts';

it('what is not given is as in other clusters', () => {
  expect(networkRanges()).toEqual(DEFAULT_RANGES);
  expect(networkRanges({ clusterCIDR: '172.16.0.0/12' })).toEqual({ ...DEFAULT_RANGES, clusterCIDR: '172.16.0.0/12' });
});

it.each<[Partial<NetworkRanges>, string]>([
  [{ clusterCIDR: '10.244.0.0' }, '10.244.0.0 is not a range of IPv4 addresses such as 10.244.0.0/16'],
  [{ clusterCIDR: '10.244.0.1/16' }, '10.244.0.1/16 is not a range'],
  [{ clusterCIDR: 'fd00::/48' }, 'fd00::/48 is not a range'],
  [{ clusterCIDRv6: '10.0.0.0/8' }, '10.0.0.0/8 is not a range of IPv6 addresses such as fd00:10:244::/56'],
  [{ clusterCIDRv6: 'fd00::/40' }, 'Nodes cannot have a /64 of fd00::/40: its prefix is between /48 and /64'],
  [{ serviceCIDRv6: 'fd00::/64' }, 'fd00::/64 cannot be the range of Services: its prefix is between /108 and /124'],
  [
    { clusterCIDRv6: 'fd00::/56', serviceCIDRv6: 'fd00:0:0:1::/112' },
    'the range of pods, fd00::/56, and the range of Services, fd00:0:0:1::/112, overlap',
  ],
  [{ nodeCIDRMaskSize: 8 }, 'Nodes cannot have a /8 of 10.244.0.0/16: a Node’s prefix is between /16 and /29'],
  [{ nodeCIDRMaskSize: 30 }, 'Nodes cannot have a /30'],
  [{ serviceCIDR: '10.96.0.0/30' }, '10.96.0.0/30 is too small for Services'],
  [
    { serviceCIDR: '10.244.128.0/20' },
    'the range of pods, 10.244.0.0/16, and the range of Services, 10.244.128.0/20, overlap',
  ],
])('%j is refused', (given, message) => {
  expect(() => networkRanges(given)).toThrow(message);
});
