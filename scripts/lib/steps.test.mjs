import { expect, it } from 'vitest';
import { createSteps, formatDuration } from './steps.mjs';

it.each([
  [0, '0 ms'],
  [994, '994 ms'],
  [1234, '1.2 s'],
  [9_949, '9.9 s'],
  [33_400, '33 s'],
  [59_600, '1 min 0 s'],
  [125_000, '2 min 5 s'],
])('%d ms reads as %s', (ms, text) => {
  expect(formatDuration(ms)).toBe(text);
});

it('writes one line a step, and passes results and errors on', async () => {
  const written = [];
  const steps = createSteps({ write: (text) => written.push(text) });
  expect(await steps.step('Fetching', async () => 42)).toBe(42);
  await expect(
    steps.step('Unpacking', async () => {
      throw new Error('disk full');
    }),
  ).rejects.toThrow('disk full');
  expect(written.join('')).toMatch(/^Fetching … \d+ ms\nUnpacking … failed after \d+ ms\n$/);
});
