import { expect, it } from 'vitest';
import type { FollowState } from './connection.ts';
import { instanceTrouble } from './instanceTrouble.ts';

const LIVE: FollowState = { kind: 'live' };
const LOADING: FollowState = { kind: 'loading' };
const REFUSED: FollowState = { kind: 'refused', code: 403, reason: 'Not allowed.' };
const CUT: FollowState = { kind: 'waiting', retryAtMs: 1, heardAtMs: 0, cutAtMs: 0, reason: 'No answer.' };

it.each<[FollowState, FollowState, RegExp | undefined]>([
  [LIVE, LIVE, undefined],
  [LIVE, LOADING, undefined],
  [LIVE, REFUSED, /cannot be read.* Not allowed\.$/],
  [LIVE, CUT, /cut off.* No answer\.$/],
  [REFUSED, REFUSED, undefined],
  [CUT, CUT, undefined],
  [REFUSED, LIVE, undefined],
])('VMs: %o, instances: %o', (vms, instances, text) => {
  const told = instanceTrouble(vms, instances);
  if (text) expect(told).toMatch(text);
  else expect(told).toBeUndefined();
});
