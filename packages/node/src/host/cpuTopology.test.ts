import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { readAllowedCpus, readCpuTopology } from './cpuTopology.ts';
import { readHugePages } from './hugePages.ts';

let directory: string;
beforeAll(async () => {
  directory = await mkdtemp('/tmp/vireo-topology-');
});
afterAll(() => rm(directory, { recursive: true, force: true }));

/** Files as the kernel shows them. */
async function tree(name: string, files: Record<string, string>): Promise<string> {
  for (const [path, text] of Object.entries(files)) {
    const file = join(directory, name, path);
    await mkdir(dirname(file), { recursive: true });
    await writeFile(file, `${text}\n`);
  }
  return join(directory, name);
}

it('CPUs are in the cores and cells that the kernel tells; one that is offline is not there', async () => {
  const system = await tree('numa', {
    'cpu/online': '0-3,5-7',
    'node/online': '0,2',
    'node/node0/cpulist': '0-1,4-5',
    'node/node2/cpulist': '2-3,6-7',
    ...Object.fromEntries(
      [0, 1, 2, 3, 5, 6, 7].map((cpu) => [
        `cpu/cpu${cpu}/topology/thread_siblings_list`,
        `${cpu % 4},${(cpu % 4) + 4}`,
      ]),
    ),
    'cpu/cpu0/topology/thread_siblings_list': '0',
    'node/node0/online': '1',
  });
  expect(await readCpuTopology(system)).toEqual({
    cells: [
      { id: 0, cores: [[0], [1, 5]] },
      { id: 2, cores: [[2, 6], [3, 7]] }, // biome-ignore format: cores are pairs
    ],
  });
});

it('a host without NUMA has one cell, and CPUs without threads are cores', async () => {
  expect(await readCpuTopology(await tree('plain', { 'cpu/online': '0-2' }))).toEqual({
    cells: [{ id: 0, cores: [[0], [1], [2]] }],
  });
});

it('this host has every CPU that we may use', async () => {
  const { cells } = await readCpuTopology();
  expect(cells.flatMap(({ cores }) => cores.flat())).toEqual(expect.arrayContaining(await readAllowedCpus()));
});

it('huge pages are counted by their size', async () => {
  const pages = await tree('pages', {
    'hugepages-2048kB/nr_hugepages': '40',
    'hugepages-1048576kB/nr_hugepages': '2',
    'hugepages-64kB/nr_hugepages': '0',
  });
  expect(await readHugePages(pages)).toEqual({
    'hugepages-1Gi': 2 * 2 ** 30,
    'hugepages-2Mi': 80 * 2 ** 20,
    'hugepages-64Ki': 0,
  });
  expect(await readHugePages(join(directory, 'nowhere'))).toEqual({});
});
