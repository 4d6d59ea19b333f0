import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { networkRanges } from './networkRanges.ts';

let directory: string;
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'vireo-ranges-'));
});
afterEach(() => rm(directory, { recursive: true }));
const rangesOf = (name: string, wanted = {}) =>
  networkRanges(join(directory, name), wanted, { isRouted: true, directory: join(directory, 'reserved') });

it('a home keeps the ranges that it has found', async () => {
  const first = await rangesOf('one');
  expect(first.clusterCIDR).toMatch(/^10\.\d+\.0\.0\/16$/);
  expect(await rangesOf('one')).toEqual(first);
});

it('two homes of a host have different ranges, also if they start at once', async () => {
  const all = await Promise.all(['one', 'two', 'three'].map((name) => rangesOf(name)));
  expect(new Set(all.map(({ clusterCIDR }) => clusterCIDR)).size).toBe(3);
  expect(new Set(all.map(({ serviceCIDR }) => serviceCIDR)).size).toBe(3);
});

it('the ranges of a home that is gone are free', async () => {
  const first = await rangesOf('one');
  await rm(join(directory, 'one'), { recursive: true });
  expect(await rangesOf('two')).toEqual(first);
});

it('a home has the ranges that it is told, and keeps them', async () => {
  await rangesOf('one');
  const told = { clusterCIDR: '172.30.0.0/16', serviceCIDR: '172.31.0.0/16' };
  expect(await rangesOf('one', told)).toEqual(told);
  expect(await rangesOf('one')).toEqual(told);
});
