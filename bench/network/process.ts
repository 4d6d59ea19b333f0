/** The benchmark itself, in a network namespace of its own. Started by `network`, which it tells how far it is and what it found. */
import { setTimeout } from 'node:timers/promises';
import type { Result } from '../report.ts';
import { type Bench, startBench } from './bench.ts';
import { type Guests, startGuests } from './guests.ts';
import type { FromProcess, ToProcess } from './messages.ts';
import { policies } from './policies.ts';
import { rules } from './rules.ts';
import { speed } from './speed.ts';
import { starts } from './starts.ts';

/** Resolves when it is on its way. */
const say = (message: FromProcess): Promise<void> =>
  new Promise((resolve) => {
    if (process.connected) process.send?.(message, () => resolve());
    else resolve();
  });
const onProgress = (progress: string): void => void say({ progress });

/** Guests and daemons outlive us unless they are ended: an interrupted benchmark ends them, and so does one that nobody waits for. */
const interrupted = Promise.withResolvers<never>();
interrupted.promise.catch(() => {});
for (const signal of ['SIGINT', 'SIGTERM'] as const)
  process.on(signal, () => interrupted.reject(new Error(`interrupted by ${signal}`)));
process.once('disconnect', () => interrupted.reject(new Error('the process that started this one is gone')));

let bench: Promise<Bench> | undefined;

async function measure({ plan, names }: ToProcess, cleanUp: AsyncDisposableStack): Promise<Result[]> {
  const started = (): Promise<Bench> => {
    bench ??= startBench(plan, onProgress, cleanUp);
    return bench;
  };
  let guests: Guests | undefined;
  const withGuests = async (act: (bench: Bench, guests: Guests) => Promise<Result[]>): Promise<Result[]> => {
    const all = await started();
    guests ??= await startGuests(all);
    return act(all, guests);
  };
  const measurements: Readonly<Record<string, () => Promise<Result[]>>> = {
    rules: () => rules(plan, onProgress),
    starts: async () => starts(await started()),
    speed: () => withGuests(speed),
    policies: () => withGuests(policies),
  };
  const results: Result[] = [];
  for (const name of names) results.push(...(await measurements[name]!()));
  return results;
}

process.once('message', async (order: ToProcess) => {
  try {
    await using cleanUp = new AsyncDisposableStack();
    try {
      await say({ results: await Promise.race([measure(order, cleanUp), interrupted.promise]) });
    } finally {
      // What is being started can be ended only when it is there; a guest that never comes is not waited for.
      await Promise.race([bench?.catch(() => {}), setTimeout(60_000)]);
    }
  } catch (error) {
    await say({ error: (error as Error).stack ?? String(error) });
  }
  process.exit();
});
