import { chmod, mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runVireo } from '../../e2e/vireo.ts';
import { openGround } from '../ground.ts';
import type { Part, Trial } from '../part.ts';
import { attackFromRoot } from './asRoot.ts';
import { dumpMemory, openGates, prepareNamespace, snapshotOf, startMachine, stopMachine } from './machines.ts';
import { plantScreens, plantTraps } from './planted.ts';
import { attackFromGuest, type Scene } from './round.ts';

export const breakout: Part = {
  name: 'breakout',
  about: "a process with the identity of a guest's QEMU reaches nothing of the host and of other guests",
  async run(ground, trial) {
    if (process.getuid?.() !== 0) return trial.note('guests of an ordinary user run as that user');
    if (trial.isShort) return inPlace('open', ({ temporary, open }) => shortRound({ ground, temporary, open }, trial));
    for (const way of ['closed', 'open'] as const)
      await inPlace(way, async ({ below, temporary, open }) => {
        await using own = await openGround({ below, simulatedNodes: 0, env: { TMPDIR: temporary } });
        await round({ ground: own, temporary, open }, trial);
      });
  },
};

interface Place extends Omit<Scene, 'ground'> {
  /** Where a home can be made. */
  readonly below: string;
}

/** Makes a place for a home. `closed`: it is below a directory that only its owner can enter. */
async function inPlace(way: 'open' | 'closed', act: (place: Place) => Promise<void>): Promise<void> {
  const root = await mkdtemp(join(tmpdir(), 'vireo-breakout-'));
  try {
    await chmod(root, 0o711);
    const temporary = join(root, 'tmp');
    await mkdir(temporary);
    await chmod(temporary, 0o1777);
    const below = way === 'open' ? root : join(root, 'closed', 'inner');
    await mkdir(below, { recursive: true, mode: 0o700 });
    await act({ below, temporary, open: root });
  } finally {
    await rm(root, { recursive: true, force: true });
  }
}

/** One guest tries, once. */
async function shortRound(scene: Scene, trial: Trial): Promise<void> {
  const { ground } = scene;
  await prepareNamespace(ground);
  const machines = await Promise.all([startMachine(ground, 'a', 'claim'), startMachine(ground, 'b', 'files')]);
  await attackFromGuest(scene, machines, trial);
}

async function round(scene: Scene, trial: Trial): Promise<void> {
  const { ground, temporary } = scene;
  await prepareNamespace(ground);
  const [a, b, c] = await Promise.all([
    startMachine(ground, 'a', 'claim'),
    startMachine(ground, 'b', 'files'),
    startMachine(ground, 'c', 'claim'),
  ]);
  await stopMachine(ground, c.name);
  await snapshotOf(ground, c.name);
  await dumpMemory(ground, b.name);
  const { code, output } = await runVireo(['backup', join(temporary, 'all.backup'), '--home', ground.home]);
  if (code !== 0) throw new Error(`vireo backup ended with ${code}: ${output}`);
  await attackFromGuest(scene, [a, b], trial);
  await attackFromGuest(scene, [b, a], trial);
  await plantScreens(scene, a, b, trial);
  await plantTraps(scene, a, b, trial);
  await openGates(ground, 'Root');
  await attackFromRoot(scene, await startMachine(ground, 'r', 'files'), b, trial);
  trial.check(await ground.problem());
}
