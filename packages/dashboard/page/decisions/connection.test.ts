import { expect, it } from 'vitest';
import { connectionWords, type FollowState, retryDelayMs } from './connection.ts';

const now = 1_000_000;
const waiting = (heardAgoMs: number | undefined, inMs: number, cutAgoMs = heardAgoMs ?? 0): FollowState => ({
  kind: 'waiting',
  retryAtMs: now + inMs,
  heardAtMs: heardAgoMs === undefined ? undefined : now - heardAgoMs,
  cutAtMs: now - cutAgoMs,
  reason: 'connection refused',
});

it.each<[FollowState[], string, string]>([
  [[], 'ok', 'Live'],
  [[{ kind: 'live' }, { kind: 'live' }], 'ok', 'Live'],
  [[{ kind: 'live' }, { kind: 'loading' }], 'busy', 'Connecting'],
  [[{ kind: 'live' }, waiting(1_000, 3_200)], 'busy', 'Reconnecting in 4 s'],
  [[waiting(undefined, 0)], 'busy', 'Reconnecting'],
  // Nothing happened for an hour, and the connection was cut a moment ago.
  [[waiting(3_600_000, 500, 300)], 'busy', 'Reconnecting in 1 s'],
  [[waiting(9_000, 3_000), { kind: 'live' }], 'err', `Offline, data of ${new Date(now - 9_000).toLocaleTimeString()}`],
  [[{ kind: 'refused', code: 403, reason: 'no' }], 'ok', 'Live'],
])('%j is %s: %s', (states, tone, text) => {
  expect(connectionWords(states, now)).toMatchObject({ tone, text });
});

it('delays grow to 15 s, with jitter', () => {
  expect([0, 1, 2, 10].map((attempt) => retryDelayMs(attempt, 0.999)).map(Math.round)).toEqual([
    500, 1_000, 1_999, 14_993,
  ]);
  expect(retryDelayMs(10, 0)).toBe(7_500);
});
