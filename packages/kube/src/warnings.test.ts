import { expect, it } from 'vitest';
import { parseWarnings, warningHeaders } from './warnings.ts';

it.each([[['a "quoted" one', 'with, comma', 'back\\slash', 'façade…']], [[]]])(
  'the texts of headers come back: %j',
  (texts) => {
    expect(parseWarnings(warningHeaders(texts).join(', '))).toEqual(texts);
  },
);

it('no header is no warning', () => {
  expect(parseWarnings(undefined)).toEqual([]);
});
