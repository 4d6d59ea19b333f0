import type { HostTopology } from '@vireo/hypervisor';

/** CPUs that are left to the host and to guests without dedicated ones: those of the first core. */
export const reservedCpus = ({ cells }: HostTopology): readonly number[] =>
  cells.find(({ cores }) => cores.length > 0)?.cores[0] ?? [];

/**
 * Which of the free CPUs a guest gets. They are in one NUMA cell if any has enough, the fullest of those, and are whole
 * cores as far as possible: threads of one core disturb each other. Undefined where too few are free.
 */
export function chooseCpus(
  { cells }: HostTopology,
  free: ReadonlySet<number>,
  count: number,
): readonly number[] | undefined {
  const open = cells.map(({ cores }) =>
    cores.map((core) => {
      const cpus = core.filter((cpu) => free.has(cpu));
      return { cpus, isWhole: cpus.length === core.length };
    }),
  );
  const size = (cell: (typeof open)[number]): number => cell.reduce((sum, { cpus }) => sum + cpus.length, 0);
  const enough = open.filter((cell) => size(cell) >= count).toSorted((a, b) => size(a) - size(b));
  const chosen: number[] = [];
  for (const cell of enough.length > 0 ? enough : open.toSorted((a, b) => size(b) - size(a))) {
    const missing = (): number => count - chosen.length;
    const whole = cell.filter(({ isWhole }) => isWhole).map(({ cpus }) => [...cpus]);
    for (const core of whole) if (core.length <= missing()) chosen.push(...core.splice(0));
    const parts = cell.filter(({ isWhole }) => !isWhole).toSorted((a, b) => a.cpus.length - b.cpus.length);
    chosen.push(...[...parts.flatMap(({ cpus }) => cpus), ...whole.flat()].slice(0, missing()));
  }
  return chosen.length === count ? chosen.toSorted((a, b) => a - b) : undefined;
}
