import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { FakeClock } from './testing/fakeClock.ts';
import { WorkQueue } from './workqueue.ts';

const make = () => {
  const clock = new FakeClock();
  return { clock, queue: new WorkQueue({ clock }) };
};

describe('WorkQueue', () => {
  it('hands out a key once however often it was added', async () => {
    const { queue } = make();
    queue.add('a');
    queue.add('b');
    queue.add('a');
    expect(await queue.take()).toBe('a');
    expect(await queue.take()).toBe('b');
    expect(queue.length).toBe(0);
  });

  it('holds back a key that is being processed until it is done', async () => {
    const { queue } = make();
    queue.add('a');
    await queue.take();
    queue.add('a');
    expect(queue.length).toBe(0);
    queue.done('a');
    expect(await queue.take()).toBe('a');
  });

  it('gives a key to whoever already waits', async () => {
    const { queue } = make();
    const first = queue.take();
    const second = queue.take();
    queue.add('a');
    queue.add('b');
    expect(await Promise.all([first, second])).toEqual(['a', 'b']);
  });

  it('adds a delayed key when its time has come, at the shortest of its delays', () => {
    const { clock, queue } = make();
    queue.addAfter('a', 500);
    queue.addAfter('a', 100);
    queue.addAfter('a', 900);
    clock.advance(99);
    expect(queue.length).toBe(0);
    clock.advance(1);
    expect(queue.length).toBe(1);
    expect(clock.pending).toBe(0);
  });

  it('forgets a delayed key that was taken back', () => {
    const { clock, queue } = make();
    queue.addAfter('a', 100);
    queue.cancelAfter('a');
    queue.cancelAfter('never added');
    expect(clock.pending).toBe(0);
    clock.advance(100);
    expect(queue.length).toBe(0);
  });

  it('doubles the delay of a failing key from 5 ms, until it is forgotten', () => {
    const { clock, queue } = make();
    for (const delay of [5, 10, 20, 40]) {
      queue.addRateLimited('a');
      clock.advance(delay - 1);
      expect(queue.length).toBe(0);
      clock.advance(1);
      expect(queue.length).toBe(1);
      void queue.take();
      queue.done('a');
    }
    expect(queue.retries('a')).toBe(4);
    queue.forget('a');
    expect(queue.retries('a')).toBe(0);
    queue.addRateLimited('a');
    clock.advance(5);
    expect(queue.length).toBe(1);
  });

  it('drains at shutdown: what was added is handed out, what comes later or was delayed is not', async () => {
    const { clock, queue } = make();
    queue.add('a');
    queue.add('b');
    queue.addAfter('later', 10);
    await queue.take();
    queue.add('a');
    let isDrained = false;
    const drained = queue.shutdown().then(() => {
      isDrained = true;
    });
    queue.add('too late');
    clock.advance(100);
    expect(await queue.take()).toBe('b');
    queue.done('b');
    expect(isDrained).toBe(false);
    queue.done('a');
    expect(await queue.take()).toBe('a');
    queue.done('a');
    await drained;
    expect(await queue.take()).toBeUndefined();
  });

  it('lets waiting takers go at shutdown', async () => {
    const { queue } = make();
    const waiting = queue.take();
    await queue.shutdown();
    expect(await waiting).toBeUndefined();
  });

  it('hands keys out in the order in which they came, emptied in between or not', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.integer({ min: -5, max: 5 }), { maxLength: 40 }), async (rounds) => {
        const { queue } = make();
        let [added, taken] = [0, 0];
        for (const round of rounds) {
          for (let i = 0; i < round; i++) queue.add(`key-${added++}`);
          for (let i = round; i < 0 && taken < added; i++) {
            expect(await queue.take()).toBe(`key-${taken}`);
            queue.done(`key-${taken++}`);
          }
        }
        while (taken < added) expect(await queue.take()).toBe(`key-${taken++}`);
        expect(queue.length).toBe(0);
      }),
    );
  });

  it('gives a key to one worker at a time, loses none and hands out none that was not added', async () => {
    const key = fc.constantFrom('a', 'b', 'c', 'd');
    const step = fc.oneof(
      fc.record({ do: fc.constant('add' as const), key }),
      fc.record({ do: fc.constant('addAfter' as const), key, ms: fc.integer({ min: 0, max: 50 }) }),
      fc.record({ do: fc.constant('retry' as const), key }),
      fc.record({ do: fc.constant('take' as const) }),
      fc.record({ do: fc.constant('done' as const), which: fc.nat(3) }),
      fc.record({ do: fc.constant('advance' as const), ms: fc.integer({ min: 1, max: 40 }) }),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 60 }), async (steps) => {
        const { clock, queue } = make();
        const inHand: string[] = [];
        /** Keys that were not handed out since somebody last asked for them. */
        const owed = new Set<string>();
        const surplus = new Map<string, number>();
        const hold = (taken: string | undefined) => {
          expect(taken).toBeDefined();
          expect(inHand).not.toContain(taken);
          surplus.set(taken!, (surplus.get(taken!) ?? 0) - 1);
          expect(surplus.get(taken!)).toBeGreaterThanOrEqual(0);
          inHand.push(taken!);
          owed.delete(taken!);
        };
        for (const next of steps) {
          if ('key' in next) {
            owed.add(next.key);
            surplus.set(next.key, (surplus.get(next.key) ?? 0) + 1);
          }
          if (next.do === 'add') queue.add(next.key);
          if (next.do === 'addAfter') queue.addAfter(next.key, next.ms);
          if (next.do === 'retry') queue.addRateLimited(next.key);
          if (next.do === 'take' && queue.length > 0) hold(await queue.take());
          if (next.do === 'done' && inHand.length > 0) {
            const [key] = inHand.splice(next.which % inHand.length, 1);
            queue.done(key!);
          }
          if (next.do === 'advance') clock.advance(next.ms);
        }
        for (const key of inHand.splice(0)) queue.done(key);
        clock.advance(10_000_000);
        while (queue.length > 0) hold(await queue.take());
        expect([...owed]).toEqual([]);
      }),
      { numRuns: 200 },
    );
  });
});
