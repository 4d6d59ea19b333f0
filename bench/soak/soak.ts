import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { Namespace } from '@vireo/api';
import { temporaryDirectory } from '../temporaryDirectory.ts';
import { Follower } from '../vms/follower.ts';
import { create, remove } from '../vms/lifecycle.ts';
import { NAMESPACE } from '../vms/objects.ts';
import { startVireoWithVms } from '../vms/vireo.ts';
import { type Sample, takeSample } from './sample.ts';

export interface SoakOptions {
  /** VMs to create, run and delete. */
  readonly cycles: number;
  /** Ends earlier, after this time. */
  readonly minutes: number;
  /** VMs on their way at a time. */
  readonly atOnce: number;
  /** Between two samples. */
  readonly cyclesEach: number;
  onSample(sample: Sample): void;
}

/** Sends VM after VM through one Vireo, and takes stock from time to time, when none is there. */
export async function soak({ cycles, minutes, atOnce, cyclesEach, onSample }: SoakOptions, signal: AbortSignal) {
  await using cleanUp = new AsyncDisposableStack();
  const directory = await temporaryDirectory();
  cleanUp.defer(() => rm(directory, { recursive: true, force: true }));
  const home = join(directory, 'home');
  const vireo = await startVireoWithVms(home);
  cleanUp.defer(() => vireo.stop());
  await vireo.client.of(Namespace).create({ metadata: { name: NAMESPACE } });
  const follower = cleanUp.use(await Follower.start(vireo.client));

  const deadline = performance.now() + minutes * 60_000;
  const isOver = (): boolean => signal.aborted || performance.now() > deadline;
  const samples: Sample[] = [];
  let begun = 0;
  let done = 0;
  const cycle = async (number: number): Promise<void> => {
    const [kind, name] = [number % 3 === 0 ? 'vmi' : 'vm', `soak-${number}`] as const;
    await create(vireo.client, kind, name);
    await follower.running(name);
    await remove(vireo.client, follower, kind, name);
    done++;
  };
  const sample = async (): Promise<void> => {
    samples.push(await takeSample(vireo, home, done));
    onSample(samples.at(-1) as Sample);
  };
  // One of each, so that what is made once is there before the first sample.
  await Promise.all([cycle(++begun), cycle(++begun), cycle(++begun)]);
  await sample();
  for (const first = done; done < cycles + first && !isOver(); ) {
    const limit = Math.min(begun + cyclesEach, cycles + first);
    const work = async (): Promise<void> => {
      while (begun < limit && !isOver()) await cycle(++begun);
    };
    await Promise.all(Array.from({ length: atOnce }, work));
    await sample();
  }
  return samples;
}
