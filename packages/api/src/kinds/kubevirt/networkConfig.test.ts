import { expect, it } from 'vitest';
import { DEFAULT_NETWORK, type NetworkConfig, networkConfigMap, parseNetworkConfig } from './networkConfig.ts';

const ranges = { clusterCIDR: '10.1.0.0/16', serviceCIDR: '10.2.0.0/16' };

it.each<[Partial<NetworkConfig>, NetworkConfig | undefined]>([
  [DEFAULT_NETWORK, DEFAULT_NETWORK],
  [ranges, { ...ranges, clusterDomain: 'cluster.local' }],
  [
    { ...ranges, clusterDomain: 'lab.example' },
    { ...ranges, clusterDomain: 'lab.example' },
  ],
  [
    { ...ranges, clusterCIDRv6: 'fd00::/56' },
    { ...ranges, clusterCIDRv6: 'fd00::/56', clusterDomain: 'cluster.local' },
  ],
  [{ clusterCIDR: '10.1.0.0/16' }, undefined],
  [{}, undefined],
])('%j is read as %j', (config, expected) => {
  expect(parseNetworkConfig(networkConfigMap(config))).toEqual(expected);
});

it('no ConfigMap says nothing', () => {
  expect(parseNetworkConfig(undefined)).toBeUndefined();
});
