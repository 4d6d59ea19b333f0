import { describe, expect, it } from 'vitest';
import { testAuthority } from '../../testing/certificates.ts';
import { mergedAuthentication } from './merge.ts';

const now = new Date();
const own = testAuthority().caPem;
const other = testAuthority().caPem;
const names = (...all: string[]) => JSON.stringify(all);

describe('what aggregated servers are told to trust', () => {
  it.each<[string, Record<string, string>, Record<string, string>, Record<string, string> | undefined]>([
    ['is left alone if it is right', { ca: own }, { ca: own }, undefined],
    ['is added where it is missing', { ca: own }, {}, { ca: own }],
    ['keeps the authorities of others', { ca: own }, { ca: other }, { ca: own + other }],
    ['drops what is no certificate', { ca: own }, { ca: 'forged' }, { ca: own }],
    [
      'keeps what others have added',
      { names: names('a') },
      { names: names('b'), more: 'x' },
      { names: names('b', 'a'), more: 'x' },
    ],
    ['mends a list that is none', { names: names('a') }, { names: 'oops' }, { names: names('a') }],
  ])('%s', (_, wanted, existing, merged) => expect(mergedAuthentication(wanted, existing, now)).toEqual(merged));

  it('no longer has an authority whose time is over', () => {
    const later = new Date(now.getTime() + 2 * 3600_000);
    expect(mergedAuthentication({ ca: own }, { ca: own + other }, later)).toEqual({ ca: own });
  });
});
