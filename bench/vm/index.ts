import type { Result } from '../report.ts';
import { type Bench, startBench } from './bench.ts';
import { footprint } from './footprint.ts';
import type { Plan } from './plan.ts';
import { starts } from './starts.ts';

/** In the order in which they are run and reported. */
export const MEASUREMENTS: Readonly<Record<string, (bench: Bench) => Promise<Result[]>>> = { footprint, starts };

/** Measures VMs on one Vireo, beside virsh and QEMU themselves; leaves nothing behind. */
export async function vm(plan: Plan, names: readonly string[], onProgress: (text: string) => void): Promise<Result[]> {
  await using cleanUp = new AsyncDisposableStack();
  // Guests and their daemon outlive us unless they are ended, so an interrupted benchmark ends them, too.
  const interrupted = Promise.withResolvers<never>();
  const interrupt = (signal: NodeJS.Signals): void => interrupted.reject(new Error(`interrupted by ${signal}`));
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.once(signal, interrupt);
    cleanUp.defer(() => void process.off(signal, interrupt));
  }
  const measure = async (): Promise<Result[]> => {
    onProgress('nothing yet: starting Vireo and another libvirtd');
    const bench = await startBench(plan, onProgress, cleanUp);
    const results: Result[] = [];
    for (const name of names) results.push(...(await MEASUREMENTS[name]!(bench)));
    return results;
  };
  return await Promise.race([measure(), interrupted.promise]);
}
