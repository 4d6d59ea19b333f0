import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { Bystander, type Served } from './bystander.ts';

const MOST = { waitMs: 100, memoryBytes: 1 << 30 };
const TIMEOUT_MS = 800;
const SLOW_MS = 400;

/** What a bystander says of a server after an attack that is over at once, and after one that takes its time. */
async function problemsOf(served: Partial<Served>, attackMs = 0): Promise<string[]> {
  const bystander = new Bystander(
    { ask: async () => true, starvedMs: async () => 0, memoryBytes: async () => 0, close: () => {}, ...served },
    TIMEOUT_MS,
  );
  const problems = async (during: string) =>
    (await bystander.problem(during, MOST)).filter((each) => each !== undefined);
  const first = await problems('first');
  await delay(attackMs);
  const second = await problems('second');
  await bystander.leave();
  return [...first, ...second];
}

describe('a bystander', () => {
  it('has nothing to say of a server that answers, however short the attack', async () => {
    expect(await problemsOf({})).toEqual([]);
  });

  it('tells of a server that answers no longer', async () => {
    let asked = 0;
    const { promise: never, resolve: giveUp } = Promise.withResolvers<boolean>();
    setTimeout(() => giveUp(false), 2 * TIMEOUT_MS);
    const found = await problemsOf({ ask: async () => (asked++ === 0 ? true : never) }, 150);
    expect(found).toEqual(['second: the other client got no answer at all']);
  });

  it('tells of a server that refuses', async () => {
    expect(await problemsOf({ ask: async () => false })).toContain(
      'first: the other client was not served 1 times of 1',
    );
  });

  const slow = async (): Promise<boolean> => delay(SLOW_MS, true);

  it('tells of a server that is slow', async () => {
    expect((await problemsOf({ ask: slow }))[0]).toMatch(/^first: the other client waited for \d+ ms$/);
  });

  it('does not blame a server for what the host kept it from', async () => {
    let starved = 0;
    const ask = async (): Promise<boolean> => {
      const isServed = await slow();
      starved += SLOW_MS;
      return isServed;
    };
    expect(await problemsOf({ ask, starvedMs: async () => starved })).toEqual([]);
  });
});
