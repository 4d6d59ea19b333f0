import { expect, it } from 'vitest';
import { fitText } from './fitText.ts';

const widthOf = (text: string): number => [...text].length * 10;

it.each([
  ['web', 50, 'web'],
  ['pvc-123456', 50, 'pv…56'],
  ['abc', 20, '…'],
])('%s within %d pixels is %s', (text, width, expected) => {
  expect(fitText(text, width, widthOf)).toBe(expected);
});
