import { describe, expect, it } from 'vitest';
import type { Sample } from './sample.ts';
import { leaks, slope } from './verdict.ts';

const EMPTY: Sample = {
  cycles: 0,
  usedBytes: 60e6,
  residentBytes: 150e6,
  descriptors: 40,
  threads: 12,
  libvirtdBytes: 40e6,
  libvirtdDescriptors: 30,
  processes: 0,
  domains: 0,
  sockets: 0,
  files: 50,
  fileBytes: 1e6,
  storeBytes: 1e6,
  objects: 2,
};

/** Samples a hundred cycles apart. */
const samples = (at: (cycles: number) => Partial<Sample>, length = 21): Sample[] =>
  Array.from({ length }, (_, index) => ({ ...EMPTY, cycles: index * 100, ...at(index * 100) }));

it.each([
  [
    [
      [0, 1],
      [1, 3],
      [2, 5],
    ],
    2,
  ],
  [
    [
      [0, 5],
      [10, 5],
    ],
    0,
  ],
  [[[3, 7]], 0],
] as const)('the slope of %j is %d', (points, expected) => {
  expect(slope(points)).toBe(expected);
});

describe('a soak', () => {
  it.each<[string, (cycles: number) => Partial<Sample>]>([
    ['nothing changes', () => ({})],
    ['memory grows at first only', (cycles) => ({ usedBytes: 60e6 + Math.min(cycles, 300) * 1e5 })],
    ['what is remembered of events fills up', (cycles) => ({ usedBytes: 60e6 + Math.min(cycles, 1024) * 4e3 })],
    ['memory goes up and down', (cycles) => ({ usedBytes: 60e6 + (cycles % 300) * 1e4 })],
    ['the store grows, for it is cleared by time', (cycles) => ({ storeBytes: cycles * 1e5 })],
    ['a connection more is open', (cycles) => ({ descriptors: 40 + (cycles > 0 ? 3 : 0) })],
  ])('finds no leak where %s', (_, at) => {
    expect(leaks(samples(at))).toEqual([]);
  });

  it.each<[string, (cycles: number) => Partial<Sample>]>([
    ['usedBytes grows by 10,000 a cycle', (cycles) => ({ usedBytes: 60e6 + cycles * 1e4 })],
    ['residentBytes grows by 60,000 a cycle', (cycles) => ({ residentBytes: 150e6 + cycles * 6e4 })],
    ['descriptors: 40 before, 2040 after', (cycles) => ({ descriptors: 40 + cycles })],
    ['processes: 0 before, 1 after', (cycles) => ({ processes: cycles > 0 ? 1 : 0 })],
    ['files: 50 before, 2050 after', (cycles) => ({ files: 50 + cycles })],
    ['objects: 2 before, 3 after', (cycles) => ({ objects: cycles > 800 ? 3 : 2 })],
  ])('finds that %s', (leak, at) => {
    expect(leaks(samples(at))).toEqual([leak]);
  });

  it('does not judge trends before everything that grows to a limit has reached it', () => {
    const growing = (cycles: number): Partial<Sample> => ({ usedBytes: 60e6 + cycles * 1e5 });
    expect(leaks(samples(growing, 4))).toEqual([]);
    expect(leaks(samples(growing, 6))).not.toEqual([]);
  });

  it('finds the smaller leaks in the longer soaks', () => {
    const growing = (cycles: number): Partial<Sample> => ({ usedBytes: 60e6 + cycles * 4e3 });
    expect(leaks(samples(growing, 21))).toEqual([]);
    expect(leaks(samples(growing, 41))).toEqual(['usedBytes grows by 4,000 a cycle']);
  });

  it('says nothing of what it has not done', () => {
    expect(leaks([])).toEqual([]);
    expect(leaks([EMPTY])).toEqual([]);
  });
});
