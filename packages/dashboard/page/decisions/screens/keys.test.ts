import { expect, it } from 'vitest';
import { COMBINATIONS, pressesOf } from './keys.ts';

const presses = (label: string): string | undefined => {
  const found = COMBINATIONS.find((combination) => combination.label === label);
  return (
    found &&
    pressesOf(found)
      .map(({ code, isDown }) => `${isDown ? '+' : '-'}${code}`)
      .join(' ')
  );
};

it('presses in order and releases in reverse', () => {
  expect(presses('Ctrl-Alt-Del')).toBe('+ControlLeft +AltLeft +Delete -Delete -AltLeft -ControlLeft');
});

it('has each combination once, function keys with their own numbers', () => {
  expect(new Set(COMBINATIONS.map(({ label }) => label)).size).toBe(COMBINATIONS.length);
  expect(COMBINATIONS.find(({ label }) => label === 'F1')?.keys).toEqual([{ keysym: 0xffbe, code: 'F1' }]);
  expect(COMBINATIONS.find(({ label }) => label === 'F12')?.keys).toEqual([{ keysym: 0xffc9, code: 'F12' }]);
});
