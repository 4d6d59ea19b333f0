import type { EndpointSlice, Lease, Persisted } from '@vireo/api';
import { describe, expect, it } from 'vitest';
import { silenceOf } from './silence.ts';

const lease = (renewTime: string, leaseDurationSeconds = 3) =>
  ({ metadata: { uid: 'l' }, spec: { renewTime, leaseDurationSeconds } }) as Persisted<Lease>;
const slice = { metadata: { uid: 's' } } as Persisted<EndpointSlice>;

describe('an instance of the extension', () => {
  const { sign } = silenceOf(lease('1'), slice, undefined, 1000);

  it.each<[string, Persisted<Lease> | undefined, number, number]>([
    ['has just been seen', lease('1'), 1000, 3000],
    ['has been silent for a while', lease('1'), 3500, 500],
    ['has been silent for the duration of its Lease: it is dead', lease('1'), 4000, 0],
    ['has renewed its Lease: it counts anew', lease('2'), 9000, 3000],
    ['has lost its Lease: it may be about to make it again', undefined, 9000, 3000],
  ])('%s', (_, now, nowMs, remainingMs) => {
    expect(silenceOf(now, slice, sign, nowMs).remainingMs).toBe(remainingMs);
  });

  it('with a slice and no Lease gets as long as others', () => {
    const alone = silenceOf(undefined, slice, undefined, 0);
    expect(silenceOf(undefined, slice, alone.sign, 2999).remainingMs).toBe(1);
    expect(silenceOf(undefined, slice, alone.sign, 3000).remainingMs).toBe(0);
  });
});
