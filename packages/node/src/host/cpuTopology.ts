import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type HostTopology, parseCpuList } from '@vireo/hypervisor';

const SYSTEM = '/sys/devices/system';

/** Where the CPUs of this host are, by the kernel. A host without NUMA has one cell. */
export async function readCpuTopology(system = SYSTEM): Promise<HostTopology> {
  const online = (await readCpuList(join(system, 'cpu/online'))) ?? [];
  const nodes = (await readCpuList(join(system, 'node/online'))) ?? [];
  const found = await Promise.all(
    nodes.map(async (id) => ({ id, cpus: (await readCpuList(join(system, `node/node${id}/cpulist`))) ?? [] })),
  );
  const known = new Set(found.flatMap(({ cpus }) => cpus));
  const isComplete = online.every((cpu) => known.has(cpu));
  const cells = isComplete && found.length > 0 ? found : [{ id: 0, cpus: online }];
  const siblings = new Map(
    await Promise.all(
      online.map(async (cpu) => {
        const file = join(system, `cpu/cpu${cpu}/topology/thread_siblings_list`);
        return [cpu, (await readCpuList(file)) ?? [cpu]] as const;
      }),
    ),
  );
  return {
    cells: cells.map(({ id, cpus }) => {
      const cores = new Map(
        cpus.filter((cpu) => siblings.has(cpu)).map((cpu) => [siblings.get(cpu)?.[0] ?? cpu, [] as number[]]),
      );
      for (const cpu of cpus) if (siblings.has(cpu)) cores.get(siblings.get(cpu)?.[0] ?? cpu)?.push(cpu);
      return { id, cores: [...cores.values()] };
    }),
  };
}

/** The CPUs that this process may use: in a container not all that the host has. */
export async function readAllowedCpus(status = '/proc/self/status'): Promise<number[]> {
  const list = /^Cpus_allowed_list:\s*(\S+)/m.exec(await readFile(status, 'utf8').catch(() => ''))?.[1];
  return parseCpuList(list ?? '') ?? [];
}

const readCpuList = (file: string): Promise<number[] | undefined> =>
  readFile(file, 'utf8').then(parseCpuList, () => undefined);
