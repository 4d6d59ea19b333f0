import { expect, it } from 'vitest';
import { pastedLines, SERIAL_KEYS, sizeLine } from './serialKeys.ts';

it.each([
  ['Ctrl-W', '\x17'],
  ['Ctrl-T', '\x14'],
  ['Ctrl-N', '\x0e'],
  ['F1', '\x1bOP'],
  ['F5', '\x1b[15~'],
  ['F12', '\x1b[24~'],
])('%s is sent as %j', (label, bytes) => {
  expect(SERIAL_KEYS.find((key) => key.label === label)?.bytes).toBe(bytes);
});

it('tells a shell its size', () => {
  expect(sizeLine(24, 80)).toBe('stty rows 24 cols 80\r');
});

it.each([
  ['ls', 1],
  ['ls\n', 2],
  ['a\r\nb', 2],
  ['a\rb\nc', 3],
])('%j has %i lines', (text, count) => {
  expect(pastedLines(text)).toBe(count);
});
