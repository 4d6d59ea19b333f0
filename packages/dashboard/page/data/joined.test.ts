import { expect, it } from 'vitest';
import type { FollowState } from '../decisions/connection.ts';
import type { Snapshot } from './collection.ts';
import { joined } from './joined.ts';

/** A collection whose snapshot a test sets. */
function part(rows: readonly string[], kind: 'live' | 'loading' = 'live') {
  let current: Snapshot<string> = { rows, state: { kind } };
  const listeners = new Set<() => void>();
  return {
    listeners,
    set(next: Snapshot<string>) {
      current = next;
      for (const listener of listeners) listener();
    },
    subscribe(listener: () => void) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    snapshot: () => current,
  };
}

it('rows of all parts are told together, and stay the same list until one of them changes', () => {
  const [web, pod] = [part(['Started']), part(['Pulled'])];
  const both = joined([web, pod]);
  const first = both.snapshot();
  expect(first.rows).toEqual(['Started', 'Pulled']);
  expect(both.snapshot()).toBe(first);
  let told = 0;
  const end = both.subscribe(() => told++);
  pod.set({ rows: ['Pulled', 'Killed'], state: { kind: 'live' } });
  expect(told).toBe(1);
  expect(both.snapshot().rows).toEqual(['Started', 'Pulled', 'Killed']);
  end();
  expect([web.listeners.size, pod.listeners.size]).toEqual([0, 0]);
});

const REFUSED: FollowState = { kind: 'refused', code: 403, reason: 'no' };
it.each<[FollowState['kind'], FollowState[]]>([
  ['live', [{ kind: 'live' }, { kind: 'live' }]],
  ['loading', [{ kind: 'live' }, { kind: 'loading' }]],
  ['refused', [{ kind: 'loading' }, REFUSED]],
  ['live', []],
])('the state is %s, the worst of its parts', (kind, states) => {
  const parts = states.map((state) => ({ ...part([]), snapshot: () => ({ rows: [], state }) }));
  expect(joined(parts).snapshot().state.kind).toBe(kind);
});
