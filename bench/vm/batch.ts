import type { Contestant, RunningGuest } from './guest.ts';

export interface Batch {
  /** How many are on their way at a time. */
  readonly atOnce: number;
  readonly vms: number;
}

let lastNumber = 0;

/** Starts VMs, so many at a time, the next when one has printed something; they go on running. */
export async function runBatch(
  contestant: Contestant,
  { atOnce, vms }: Batch,
): Promise<{ guests: RunningGuest[]; seconds: number }> {
  const starts = await Promise.all(Array.from({ length: vms }, () => contestant.prepare(++lastNumber)));
  const guests: RunningGuest[] = [];
  const startedAt = performance.now();
  const work = async (): Promise<void> => {
    for (let start = starts.pop(); start; start = starts.pop()) guests.push(await start());
  };
  await Promise.all(Array.from({ length: atOnce }, work));
  return { guests, seconds: (performance.now() - startedAt) / 1000 };
}
