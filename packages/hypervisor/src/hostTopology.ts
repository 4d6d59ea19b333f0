/** The processors of a host by where they are. */
export interface HostTopology {
  readonly cells: readonly HostCell[];
}

/** A NUMA cell: processors with memory of their own. */
export interface HostCell {
  readonly id: number;
  /** The CPUs of each core: one, or those that share it as threads. */
  readonly cores: readonly (readonly number[])[];
}

/** The topology without the CPUs that are not among `cpus`; cells keep their ids. */
export const restrictTopology = ({ cells }: HostTopology, cpus: ReadonlySet<number>): HostTopology => ({
  cells: cells.map(({ id, cores }) => ({
    id,
    cores: cores.map((core) => core.filter((cpu) => cpus.has(cpu))).filter((core) => core.length > 0),
  })),
});

/** Reads the kernel's and libvirt's notation: `0-3,8,^2`. Undefined where it is none. */
export function parseCpuList(text: string): number[] | undefined {
  const cpus = new Set<number>();
  const without = new Set<number>();
  for (const part of text.trim().split(',')) {
    if (part === '' && text.trim() === '') continue;
    const match = /^(\^?)(\d{1,5})(?:-(\d{1,5}))?$/.exec(part.trim());
    if (!match) return undefined;
    const [, not, first, last = first] = match;
    if (Number(last) < Number(first)) return undefined;
    for (let cpu = Number(first); cpu <= Number(last); cpu += 1) (not ? without : cpus).add(cpu);
  }
  return [...cpus].filter((cpu) => !without.has(cpu)).sort((a, b) => a - b);
}

/** The same notation, with ranges: `0-3,8`. */
export function formatCpuList(cpus: Iterable<number>): string {
  const sorted = [...new Set(cpus)].sort((a, b) => a - b);
  const ranges: [first: number, last: number][] = [];
  for (const cpu of sorted) {
    const range = ranges.at(-1);
    if (range && range[1] === cpu - 1) range[1] = cpu;
    else ranges.push([cpu, cpu]);
  }
  return ranges.map(([first, last]) => (first === last ? String(first) : `${first}-${last}`)).join(',');
}
