import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Expectations } from './expectations.ts';
import { FakeClock } from './testing/fakeClock.ts';

describe('Expectations', () => {
  it('are satisfied where nothing is expected', () => {
    const expectations = new Expectations();
    expectations.creationObserved('a');
    expectations.deletionObserved('a', 'u1');
    expectations.creationObserved(undefined);
    expect(expectations.isSatisfied('a')).toBe(true);
  });

  it('wait for every creation', () => {
    const expectations = new Expectations();
    expectations.expectCreations('a', 2);
    expectations.creationObserved('a');
    expectations.creationObserved('b');
    expect(expectations.isSatisfied('a')).toBe(false);
    expectations.creationObserved('a');
    expect(expectations.isSatisfied('a')).toBe(true);
  });

  it('count the deletion of one object once, however often it is seen', () => {
    const expectations = new Expectations();
    expectations.expectDeletions('a', ['u1', 'u2']);
    expectations.deletionObserved('a', 'u1');
    expectations.deletionObserved('a', 'u1');
    expect(expectations.isSatisfied('a')).toBe(false);
    expectations.deletionObserved('a', 'u2');
    expect(expectations.isSatisfied('a')).toBe(true);
  });

  it('give up after five minutes, so that a lost event does not stop a controller for ever', () => {
    const clock = new FakeClock();
    const expectations = new Expectations(clock);
    expectations.expectCreations('a', 1);
    clock.advance(300_000);
    expect(expectations.isSatisfied('a')).toBe(false);
    clock.advance(1);
    expect(expectations.isSatisfied('a')).toBe(true);
  });

  it('are forgotten with their owner', () => {
    const expectations = new Expectations();
    expectations.expectCreations('a', 1);
    expectations.forget('a');
    expect(expectations.isSatisfied('a')).toBe(true);
  });

  it('are satisfied exactly when as much was observed as expected, in whatever order', () => {
    const uid = fc.constantFrom('u1', 'u2', 'u3');
    const step = fc.oneof(
      fc.record({ do: fc.constant('expectCreations' as const), count: fc.nat(3) }),
      fc.record({ do: fc.constant('creation' as const) }),
      fc.record({ do: fc.constant('expectDeletion' as const), uid }),
      fc.record({ do: fc.constant('deletion' as const), uid }),
    );
    fc.assert(
      fc.property(fc.array(step), (steps) => {
        const expectations = new Expectations(new FakeClock());
        let creations = 0;
        const deletions = new Set<string>();
        for (const next of steps) {
          if (next.do === 'expectCreations') {
            expectations.expectCreations('a', next.count);
            creations += next.count;
          }
          if (next.do === 'creation') {
            expectations.creationObserved('a');
            creations = Math.max(0, creations - 1);
          }
          if (next.do === 'expectDeletion') {
            expectations.expectDeletions('a', [next.uid]);
            deletions.add(next.uid);
          }
          if (next.do === 'deletion') {
            expectations.deletionObserved('a', next.uid);
            deletions.delete(next.uid);
          }
          expect(expectations.isSatisfied('a')).toBe(creations === 0 && deletions.size === 0);
        }
      }),
    );
  });
});
