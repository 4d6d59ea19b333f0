import { innerErrors } from '../innerErrors.ts';
import type { Part } from '../part.ts';
import { ATTACKS } from './attacks.ts';
import { Bystander, memoryOf } from './bystander.ts';
import { dribbles } from './slow.ts';

/** What the server may take at the worst, and what others may have to wait; on two cores that attacker and server share. */
const MOST = { waitMs: 5000, memoryBytes: 1 << 30 };
/** Headers within 15 s, bodies within 60 s; looked at every few seconds. */
const SLOW_PATIENCE_MS = 75_000;
const DRIBBLES = 20;

export const exhaustion: Part = {
  name: 'exhaustion',
  about:
    'connections, watches, bodies, packed bodies, HTTP/2 floods, slow clients: others are served, memory is bounded',
  async run(ground, trial) {
    const bystander = new Bystander(ground);
    const slow = trial.isShort ? [] : dribbles(ground, DRIBBLES);
    const begunAt = performance.now();
    const logged = ground.output().length;
    try {
      for (const [name, attack] of Object.entries(ATTACKS)) {
        await attack(ground, trial);
        for (const problem of bystander.problem(name, MOST)) trial.check(problem);
        trial.progress(`${name}: ${((await memoryOf(ground.pid)) / (1 << 20)).toFixed(0)} MiB`);
      }
      const leftMs = Math.max(0, Math.ceil(SLOW_PATIENCE_MS - (performance.now() - begunAt)));
      const patience = AbortSignal.timeout(leftMs);
      const late = new Promise<undefined>((resolve) => patience.addEventListener('abort', () => resolve(undefined)));
      for (const { name, cutOffMs } of slow) {
        const ms = await Promise.race([cutOffMs, late]);
        trial.check(
          ms === undefined
            ? `a client that sends ${name} is still there after ${SLOW_PATIENCE_MS / 1000} s`
            : undefined,
        );
      }
      for (const problem of bystander.problem('slow clients', MOST)) trial.check(problem);
    } finally {
      for (const each of slow) each.end();
      await bystander.leave();
    }
    trial.check(await ground.problem());
    trial.check(innerErrors(ground.output().slice(logged)));
  },
};
