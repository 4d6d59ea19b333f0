import { innerErrors } from '../innerErrors.ts';
import type { Part } from '../part.ts';
import { ATTACKS } from './attacks.ts';
import { Bystander, memoryOf, servedBy, starvedMs } from './bystander.ts';
import { slowClients } from './slow.ts';

/** What the server may take at the worst, and what others may have to wait; what the host is busy with does not count. */
const MOST = { waitMs: 5000, memoryBytes: 1 << 30 };
/** Headers within 15 s, bodies within 60 s; looked at every few seconds. */
const SLOW_TIMEOUT_MS = 75_000;
/** The attacks may have taken longer than that. */
const MIN_TIMEOUT_MS = 5000;
const SLOW_CLIENTS_EACH = 20;

export const exhaustion: Part = {
  name: 'exhaustion',
  about:
    'connections, watches, bodies, compressed bodies, HTTP/2 floods, slow clients: others are served, memory is limited',
  async run(ground, trial) {
    const bystander = new Bystander(servedBy(ground));
    const slow = trial.isShort ? [] : slowClients(ground, SLOW_CLIENTS_EACH);
    const begunAt = performance.now();
    const starvedBefore = await starvedMs(ground.pid);
    const logged = ground.output().length;
    try {
      for (const [name, attack] of Object.entries(ATTACKS)) {
        await attack(ground, trial);
        for (const problem of await bystander.problem(name, MOST)) trial.check(problem);
        trial.progress(`${name}: ${((await memoryOf(ground.pid)) / (1 << 20)).toFixed(0)} MiB`);
      }
      // On a host that is busy the server looks later, and we hear of it later.
      const starved = (await starvedMs(ground.pid)) - starvedBefore;
      const spentMs = performance.now() - begunAt;
      const leftMs = Math.ceil(Math.max(SLOW_TIMEOUT_MS - spentMs, MIN_TIMEOUT_MS) + starved);
      const timeout = AbortSignal.timeout(leftMs);
      const late = new Promise<undefined>((resolve) => timeout.addEventListener('abort', () => resolve(undefined)));
      for (const { name, cutOffMs } of slow) {
        const ms = await Promise.race([cutOffMs, late]);
        trial.check(
          ms === undefined
            ? `a client that sends ${name} is still there after ${Math.round((spentMs + leftMs) / 1000)} s`
            : undefined,
        );
      }
      for (const problem of await bystander.problem('slow clients', MOST)) trial.check(problem);
    } finally {
      for (const each of slow) each.end();
      await bystander.leave();
    }
    trial.check(await ground.problem());
    trial.check(innerErrors(ground.output().slice(logged)));
  },
};
