import { Random } from '../random.ts';

/** When a fault comes: how long after the migration has reached a phase. */
export interface MigrationRound {
  readonly number: number;
  readonly fault: string;
  readonly phase: string;
  readonly delayMs: number;
  /** How long what is undone later lasts. */
  readonly lengthMs: number;
}

/** The phases on the way, as often as they matter: most can go wrong while the guest moves. */
const MOMENTS = [
  'Pending',
  'Scheduling',
  'Scheduled',
  'PreparingTarget',
  'TargetReady',
  'Running',
  'Running',
  'Running',
];

/** The rounds of a seed. Every fault comes once before one comes again. */
export function planRounds(seed: number, count: number, faults: readonly string[]): MigrationRound[] {
  const random = new Random(seed);
  let left: string[] = [];
  return Array.from({ length: count }, (_, index) => {
    if (left.length === 0) left = [...faults];
    const [fault = ''] = left.splice(random.between(0, left.length - 1), 1);
    return {
      number: index + 1,
      fault,
      phase: random.pick(MOMENTS),
      delayMs: random.between(0, 1500),
      lengthMs: random.between(1000, 8000),
    };
  });
}
