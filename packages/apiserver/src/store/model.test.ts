import { copyFileSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import fc from 'fast-check';
import { afterAll, expect, test } from 'vitest';
import { openSqliteStore } from './sqlite.ts';
import type { Store } from './store.ts';
import { openMemoryStore } from './testing/memory.ts';
import { commands, key, Model } from './testing/model.ts';

const home = mkdtempSync(join(tmpdir(), 'vireo-model-'));
afterAll(() => rmSync(home, { recursive: true }));

test('in memory, the store behaves as the model', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(commands, { maxLength: 60 }), async (script) => {
      const model = new Model(openMemoryStore());
      for (const command of script) await model.run(command);
      await model.finish();
    }),
    { numRuns: 200 },
  );
}, 120_000);

/** A crash leaves the files as they are amid some writes, a number of turns of the event loop after they began. */
const crash = fc.record({
  type: fc.constant('crash' as const),
  keys: fc.array(key, { maxLength: 8 }),
  turns: fc.integer({ min: 0, max: 300 }),
});
const restart = fc.record({ type: fc.constant('restart' as const) });

test('on disk, the store behaves as the model, through restarts and crashes', async () => {
  let files = 0;
  const script = fc.array(
    fc.oneof({ weight: 20, arbitrary: commands }, { weight: 1, arbitrary: restart }, { weight: 2, arbitrary: crash }),
    { minLength: 5, maxLength: 60 },
  );
  await fc.assert(
    fc.asyncProperty(script, async (steps) => {
      let file = join(home, `${++files}.db`);
      // Few events in memory, so that most watches read from disk.
      const open = (): Promise<Store> => openSqliteStore({ file, recentEvents: 3 });
      const model = new Model(await open());
      for (const step of steps) {
        if (step.type === 'restart') {
          await model.finish();
          model.reopened(await open());
        } else if (step.type === 'crash') {
          let acknowledged = 0;
          const writes = model.burst(step.keys, (revision) => {
            acknowledged = Math.max(acknowledged, revision);
          });
          for (let turn = 0; turn < step.turns; turn++) await setImmediate();
          const before = acknowledged;
          const from = file;
          file = join(home, `${++files}.db`);
          // Small enough never to be checkpointed amid writes, so the main file is still while the log is copied.
          for (const part of ['', '-wal']) copyFileSync(from + part, file + part);
          await writes;
          await model.finish();
          const survivor = await open();
          expect(survivor.revision).toBeGreaterThanOrEqual(before);
          model.reopened(survivor);
        } else {
          await model.run(step);
        }
      }
      await model.finish();
    }),
    { numRuns: 25 },
  );
}, 120_000);
