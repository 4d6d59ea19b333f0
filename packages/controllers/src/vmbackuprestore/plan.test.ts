import { expect, it } from 'vitest';
import { shorten } from './plan.ts';

it.each([
  ['web-settings-1a2b3c4d', /^web-settings-1a2b3c4d$/],
  [`${'x'.repeat(70)}`, /^x{54}-[\da-f]{8}$/],
  [`${'x'.repeat(53)}.${'y'.repeat(20)}`, /^x{53}-[\da-f]{8}$/],
])('makes of %s a name that objects may have', (name, short) => {
  expect(shorten(name)).toMatch(short);
});
