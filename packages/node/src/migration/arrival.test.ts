import type { DomainState } from '@vireo/libvirt';
import { expect, it } from 'vitest';
import { isKeptPaused, isStoppedToMove, mayHaveLeft, whyNotMove } from './arrival.ts';

it.each<[DomainState['state'], reason: string, left: boolean, stoppedToMove: boolean, keptPaused: boolean]>([
  ['running', 'booted', false, false, false],
  ['paused', 'migration', true, true, false],
  ['paused', 'user', true, false, true],
  ['paused', 'io-error', true, false, true],
  ['paused', 'watchdog', true, false, true],
  ['pmsuspended', 'unknown', true, false, false],
])('a guest that moves and is %s (%s)', (state, reason, ...is) => {
  const domain: DomainState = { state, reason };
  expect([mayHaveLeft(domain), isStoppedToMove(domain), isKeptPaused(domain)]).toEqual(is);
});

it('a guest that QEMU has paused for an I/O error is not moved', () => {
  expect(whyNotMove({ state: 'paused', reason: 'io-error' })).toContain('I/O error');
  for (const reason of ['user', 'migration']) expect(whyNotMove({ state: 'paused', reason })).toBeUndefined();
});
