import { describe, expect, it } from 'vitest';
import { formatCpuList, type HostTopology, parseCpuList } from '../hostTopology.ts';
import { placeVcpus } from './placeVcpus.ts';

/** Two cells of two cores with two threads: 0,4 1,5 and 2,6 3,7. */
const host: HostTopology = {
  cells: [
    { id: 0, cores: [[0, 4], [1, 5]] }, // biome-ignore format: cores are pairs
    { id: 1, cores: [[2, 6], [3, 7]] }, // biome-ignore format: cores are pairs
  ],
};
const guest = (cores: number, threads = 1) => ({ sockets: 1, cores, threads });

describe('vCPUs', () => {
  it.each<[string, ReturnType<typeof guest>, number[], boolean, number[] | undefined, number[]?]>([
    ['fill cores of the host one after the other', guest(2), [0, 1, 4, 5], false, [0, 4], [1, 5]],
    ['that are threads share a core', guest(2, 2), [0, 1, 2, 4, 5, 6], false, [0, 4, 1, 5], [2, 6]],
    ['that are threads share a cell where no core is whole', guest(1, 2), [0, 1, 2], false, [0, 1], [2]],
    ['that are threads are not in two cells', guest(2, 2), [0, 4, 1, 2], false, undefined],
    ['that are threads may be in two cells', guest(2, 2), [0, 4, 1, 2], true, [0, 4, 1, 2], []],
    ['prefer whole cores of a later cell', guest(1, 2), [0, 2, 6], false, [2, 6], [0]],
    ['do not fit on too few CPUs', guest(3), [0, 1], true, undefined],
    ['do not fit on CPUs that the host does not have', guest(2), [0, 99], true, undefined],
  ])('%s', (_title, topology, cpus, mayCross, vcpus, rest) => {
    expect(placeVcpus(topology, host, cpus, mayCross)).toEqual(vcpus && { vcpus, rest });
  });
});

it.each([
  ['0-3,8', [0, 1, 2, 3, 8], '0-3,8'],
  ['8,0-3,^1-2', [0, 3, 8], '0,3,8'],
  ['', [], ''],
  ['5\n', [5], '5'],
])('the list of CPUs %j', (text, cpus, written) => {
  expect(parseCpuList(text)).toEqual(cpus);
  expect(formatCpuList(cpus)).toBe(written);
});

it.each(['a', '3-1', '1,,2', '-1', '0-', '1 2'])('%j is no list of CPUs', (text) => {
  expect(parseCpuList(text)).toBeUndefined();
});
