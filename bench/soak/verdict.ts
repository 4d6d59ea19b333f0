import type { Sample } from './sample.ts';

/**
 * What may be more at the end than it was after the warm-up: so much in all, for what fills up to a limit and for what
 * cannot be told from noise, and so much with each cycle. The longer the soak, the smaller the leaks that it finds.
 */
interface Allowance {
  readonly inAll: number;
  readonly perCycle: number;
}

const KB = 1_000;
const MB = 1_000_000;

/**
 * What may have a trend: measured in a noisy world, it is judged by its slope.
 *
 * Memory in use: the recorders of events fill up over the first thousand objects of each kind, by four kilobytes a cycle
 * and four megabytes in all; one collection of garbage differs from the next by two or three. A VM's objects are
 * ten kilobytes and more where they stay in one cache, so that is found within a thousand cycles.
 *
 * Files: libvirtd writes two errors of its own to its log for every VM, 300 bytes.
 */
const TRENDS: Partial<Record<keyof Sample, Allowance>> = {
  usedBytes: { inAll: 7 * MB, perCycle: KB },
  residentBytes: { inAll: 40 * MB, perCycle: 4 * KB },
  libvirtdBytes: { inAll: 15 * MB, perCycle: 4 * KB },
  fileBytes: { inAll: MB, perCycle: 0.4 * KB },
};

/** What must be as it was before the first VM, give or take the connections to libvirtd that are kept for a while. */
const SAME: Partial<Record<keyof Sample, number>> = {
  descriptors: 10,
  threads: 2,
  libvirtdDescriptors: 10,
  processes: 0,
  domains: 0,
  sockets: 0,
  files: 3,
  objects: 0,
};

/** The slope of the straight line that fits best. */
export function slope(points: readonly (readonly [x: number, y: number])[]): number {
  const mean = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0) / values.length;
  const [x, y] = [mean(points.map(([at]) => at)), mean(points.map(([, value]) => value))];
  const spread = points.reduce((sum, [at]) => sum + (at - x) ** 2, 0);
  return spread === 0 ? 0 : points.reduce((sum, [at, value]) => sum + (at - x) * (value - y), 0) / spread;
}

/**
 * After so many cycles the server's history has reached its limit, the last ten thousand writes: a cycle makes more than
 * thirty of them, and holds sixty kilobytes of memory until then.
 */
export const WARM_UP_CYCLES = 350;

/** Growth for each cycle, once warm. */
export function trend(samples: readonly Sample[], of: keyof Sample): number {
  return slope(warm(samples).map((sample) => [sample.cycles, sample[of]]));
}

const warm = (samples: readonly Sample[]): readonly Sample[] =>
  samples.filter(({ cycles }) => cycles >= WARM_UP_CYCLES);

/** What is left behind, in words; nothing where nothing is. The first sample is from before the first VM. */
export function leaks(samples: readonly Sample[]): string[] {
  const [first, last] = [samples[0], samples.at(-1)];
  if (!first || !last || first === last) return [];
  const cycles = last.cycles - (warm(samples)[0]?.cycles ?? last.cycles);
  const growing = entries(TRENDS).flatMap(([name, { inAll, perCycle }]) => {
    const growth = trend(samples, name);
    return growth * cycles > inAll + perCycle * cycles
      ? [`${name} grows by ${Math.round(growth).toLocaleString('en-US')} a cycle`]
      : [];
  });
  const left = entries(SAME).flatMap(([name, tolerance]) =>
    last[name] - first[name] > tolerance ? [`${name}: ${first[name]} before, ${last[name]} after`] : [],
  );
  return [...growing, ...left];
}

const entries = <T>(record: Partial<Record<keyof Sample, T>>): [keyof Sample, T][] =>
  Object.entries(record) as [keyof Sample, T][];
