import { expect, it } from 'vitest';
import { CONSOLES, isServed, SCREENS } from './features.ts';

it.each<[string, Parameters<typeof isServed>[0], boolean]>([
  ['a server that has it', () => true, true],
  ['one that has one of them', (what) => what === SCREENS, true],
  ['one that has not answered', () => undefined, true],
  ['one that has none', () => false, false],
])('what needs consoles or screens with %s: %s', (_, has, isShown) => {
  expect(isServed(has, [CONSOLES, SCREENS])).toBe(isShown);
});

it('what needs nothing is always shown', () => {
  expect(isServed(() => false)).toBe(true);
});
