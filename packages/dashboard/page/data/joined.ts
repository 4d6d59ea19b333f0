import type { FollowState } from '../decisions/connection.ts';
import type { Collection, Snapshot } from './collection.ts';
import type { KubeObject } from './kinds.ts';

type Part<Row> = Pick<Collection<KubeObject, Row>, 'subscribe' | 'snapshot'>;

/** What says most about how a view is doing comes first. */
const TELLING: readonly FollowState['kind'][] = ['refused', 'waiting', 'loading'];

/** Several collections as one: their rows in a row, and the state of the one that does worst. */
export function joined<Row>(parts: readonly Part<Row>[]): Part<Row> {
  let before: readonly Snapshot<Row>[] = [];
  let snapshot: Snapshot<Row> = { rows: [], state: { kind: 'live' } };
  return {
    subscribe(listener) {
      const ends = parts.map((part) => part.subscribe(listener));
      return () => {
        for (const end of ends) end();
      };
    },
    snapshot() {
      const now = parts.map((part) => part.snapshot());
      if (now.length === before.length && now.every((each, index) => each === before[index])) return snapshot;
      before = now;
      snapshot = { rows: now.flatMap(({ rows }) => rows), state: worst(now.map(({ state }) => state)) };
      return snapshot;
    },
  };
}

function worst(states: readonly FollowState[]): FollowState {
  for (const kind of TELLING) {
    const found = states.find((state) => state.kind === kind);
    if (found) return found;
  }
  return states[0] ?? { kind: 'live' };
}
