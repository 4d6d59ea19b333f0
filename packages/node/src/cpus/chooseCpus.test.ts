import type { HostTopology } from '@vireo/hypervisor';
import { describe, expect, it } from 'vitest';
import { chooseCpus, reservedCpus } from './chooseCpus.ts';

/** Two cells of three cores with two threads: 0,1 2,3 4,5 and 6,7 8,9 10,11. */
const host: HostTopology = {
  cells: [0, 6].map((first, id) => ({ id, cores: [0, 2, 4].map((core) => [first + core, first + core + 1]) })),
};

describe('a guest gets', () => {
  it.each<[string, number[], number, number[] | undefined]>([
    ['whole cores', [1, 2, 3, 4, 5], 4, [2, 3, 4, 5]],
    ['a part of a core before it breaks a whole one', [2, 3, 5], 1, [5]],
    ['whole cores, then parts', [1, 2, 3, 4, 5], 3, [1, 2, 3]],
    ['CPUs of one cell, the fullest that has enough', [2, 3, 4, 5, 6, 7], 2, [6, 7]],
    ['CPUs of several cells where none has enough', [2, 3, 6, 7, 8], 4, [2, 6, 7, 8]],
    ['nothing where too few are free', [2, 3], 3, undefined],
  ])('%s', (_title, free, count, expected) => {
    expect(chooseCpus(host, new Set(free), count)).toEqual(expected);
  });
});

it('the first core is nobody’s alone', () => {
  expect(reservedCpus(host)).toEqual([0, 1]);
  expect(reservedCpus({ cells: [{ id: 0, cores: [] }] })).toEqual([]);
});
