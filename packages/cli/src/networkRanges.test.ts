import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { claimNetwork, findNetwork, hasIpv6 } from '@vireo/network';
import { whyNotRoot } from '@vireo/network/testing/whyNotRoot.ts';
import { networkOwner } from '@vireo/node/network/owner.ts';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { networkRanges } from './networkRanges.ts';

let directory: string;
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'vireo-ranges-'));
});
afterEach(() => rm(directory, { recursive: true }));
const rangesOf = (name: string, wanted = {}) =>
  networkRanges(join(directory, name), wanted, {
    isRouted: true,
    directory: join(directory, 'reserved'),
    routes: async () => ['192.0.2.0/24', '10.244.7.0/24'],
  });

it('a home keeps the ranges that it has found', async () => {
  const first = await rangesOf('one');
  expect(first).toMatchObject({ clusterCIDR: '10.243.0.0/16', serviceCIDR: '10.96.0.0/16' });
  expect(await rangesOf('one')).toEqual(first);
});

it('the homes of a host have different ranges, also if they start at once', async () => {
  const all = await Promise.all(Array.from({ length: 12 }, (_, n) => rangesOf(`home-${n}`)));
  expect(new Set(all.map(({ clusterCIDR }) => clusterCIDR)).size).toBe(12);
  expect(new Set(all.map(({ serviceCIDR }) => serviceCIDR)).size).toBe(12);
});

it('the ranges of a home that is gone are free', async () => {
  const first = await rangesOf('one');
  await rm(join(directory, 'one'), { recursive: true });
  const second = await rangesOf('two');
  expect(second).toMatchObject({ clusterCIDR: first.clusterCIDR, serviceCIDR: first.serviceCIDR });
});

it('homes that start at once do not both take the range of one that is gone', async () => {
  const { clusterCIDR } = await rangesOf('gone');
  await rm(join(directory, 'gone'), { recursive: true });
  const all = await Promise.all(['one', 'two', 'three', 'four'].map((name) => rangesOf(name)));
  expect(all.filter((ranges) => ranges.clusterCIDR === clusterCIDR)).toHaveLength(1);
});

it('a home has the ranges that it is told, and keeps them', async () => {
  await rangesOf('one');
  const told = {
    clusterCIDR: '172.30.0.0/16',
    clusterCIDRv6: 'fd00::/56',
    serviceCIDR: '172.31.0.0/16',
    serviceCIDRv6: 'fd00:0:0:100::/112',
  };
  expect(await rangesOf('one', told)).toEqual(told);
  expect(await rangesOf('one')).toEqual(told);
});

it.skipIf(whyNotRoot)(
  'the network of a home that is gone is removed',
  { meta: { whySkipped: whyNotRoot } },
  async () => {
    await rangesOf('one');
    const owner = networkOwner(join(directory, 'one'));
    await claimNetwork(owner);
    await rm(join(directory, 'one'), { recursive: true });
    await rangesOf('two');
    expect(await findNetwork(owner)).toBeUndefined();
  },
);

const whyNoIpv6 = (await hasIpv6()) ? undefined : 'this host has no IPv6';
it.skipIf(whyNoIpv6)(
  'a home has a private IPv6 range that no other has',
  { meta: { whySkipped: whyNoIpv6 } },
  async () => {
    const { clusterCIDRv6: first } = await rangesOf('one');
    expect(first).toMatch(/^fd[\da-f]{0,2}:[\da-f]+:[\da-f]+::\/56$/);
    expect(await rangesOf('one')).toMatchObject({
      clusterCIDRv6: first,
      serviceCIDRv6: first?.replace('::/56', ':100::/112'),
    });
    expect((await rangesOf('two')).clusterCIDRv6).not.toBe(first);
  },
);

it('a home that is told to have no IPv6 stays without', async () => {
  await rangesOf('one');
  for (const wanted of [{ clusterCIDRv6: null }, {}]) {
    const { clusterCIDRv6, serviceCIDRv6 } = await rangesOf('one', wanted);
    expect([clusterCIDRv6, serviceCIDRv6]).toEqual([undefined, undefined]);
  }
});
