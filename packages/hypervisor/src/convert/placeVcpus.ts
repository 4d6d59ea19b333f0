import type { Topology } from '../domainSpec.ts';
import { type HostTopology, restrictTopology } from '../hostTopology.ts';

export interface Placement {
  /** The host's CPU of each virtual one, threads of a core one after the other. */
  readonly vcpus: readonly number[];
  /** CPUs that are left, for I/O threads and the emulator. */
  readonly rest: readonly number[];
}

/**
 * Gives every virtual CPU one of the host's. The threads of a virtual core share a core of the host where that is
 * possible, else its NUMA cell; they are in different cells only if `mayCrossCells`. Undefined where they do not fit.
 */
export function placeVcpus(
  { sockets, cores, threads }: Topology,
  host: HostTopology,
  cpus: readonly number[],
  mayCrossCells: boolean,
): Placement | undefined {
  const { cells } = restrictTopology(host, new Set(cpus));
  let missing = sockets * cores;
  const vcpus: number[] = [];
  const take = (from: number[]): void => {
    for (; missing > 0 && from.length >= threads; missing -= 1) vcpus.push(...from.splice(0, threads));
  };
  const left = cells.map((cell) => {
    const ofCores = cell.cores.map((core) => [...core]);
    for (const core of ofCores) take(core);
    // Parts of cores first, so that what remains are whole ones.
    return ofCores.toSorted((a, b) => a.length - b.length).flat();
  });
  for (const cell of left) take(cell);
  const rest = left.flat();
  if (mayCrossCells) take(rest);
  return missing === 0 ? { vcpus, rest } : undefined;
}
