/** What is shown of a machine. Rates are per second; sizes are bytes. */
export const FIELDS = [
  'cpuCores',
  'memoryUsed',
  'memoryTotal',
  'diskReadBytes',
  'diskWriteBytes',
  'diskReads',
  'diskWrites',
  'networkInBytes',
  'networkOutBytes',
] as const;
export type Field = (typeof FIELDS)[number];

/** Figures of one moment. What nobody knows is missing, not 0. */
export type Figures = Readonly<Partial<Record<Field, number>>>;

/** What guests and their hypervisor say, or only what launcher pods use of CPU and memory. */
export type Origin = 'guests' | 'launchers';

/** What was read of a machine at one moment. */
export interface MachineSample {
  readonly origin: Origin;
  /** Where it runs, if that was said. */
  readonly node?: string;
  readonly atMs: number;
  /** By `field|device`: they only grow, and begin anew with the machine. */
  readonly counters: ReadonlyMap<string, number>;
  /** What is known without comparing. */
  readonly gauges: Figures;
}

/** By `namespace/name`. */
export type Samples = ReadonlyMap<string, MachineSample>;
