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
  async run(_, trial) {
    if (process.getuid?.() !== 0) return trial.note('guests of an ordinary user run as that user');
    await onGround('closed', trial);
    await onGround('open', trial);
  },
};

/** `closed`: the home is below a directory that only its owner can enter. */
async function onGround(way: 'open' | 'closed', trial: Trial): Promise<void> {
  const root = await mkdtemp(join(tmpdir(), 'vireo-breakout-'));
  try {
    await chmod(root, 0o711);
    const temporary = join(root, 'tmp');
    await mkdir(temporary);
    await chmod(temporary, 0o1777);
    const below = way === 'open' ? root : join(root, 'closed', 'inner');
    await mkdir(below, { recursive: true, mode: 0o700 });
    await using ground = await openGround({ below, simulatedNodes: 0, env: { TMPDIR: temporary } });
    await round({ ground, temporary, open: root }, trial);
  } finally {
    await rm(root, { recursive: true, force: true });
  }
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
