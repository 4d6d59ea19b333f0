import { expect, it } from 'vitest';
import { frame, headerBlock, statusOf } from './frames.ts';

it('frames a payload with its length, type, flags and stream', () => {
  expect(frame(1, 5, 3, Buffer.from('abc')).toString('hex')).toBe('000003010500000003616263');
});

it('writes header blocks of literals', () => {
  const block = headerBlock('GET', `/${'x'.repeat(200)}`, { accept: 'a' });
  expect(block.subarray(0, 2).toString('hex')).toBe('8287');
  // 201 bytes do not fit the seven bits of the prefix: 127, then 74.
  expect(block.subarray(2, 11).toString('hex')).toBe(`0005${Buffer.from(':path').toString('hex')}7f4a`);
  expect(block.subarray(-9).toString('latin1')).toBe('\x00\x06accept\x01a'.slice(-9));
});

it.each([
  ['an entry of the static table', '88', 200],
  ['another', '8d', 404],
  ['after a change of the table size', '2088', 200],
  ['a literal', '0803323031', 201],
  ['a literal in Huffman code', '08821003', 201],
  ['one with long digits', '08826402', 302],
  ['an entry of a table that we do not keep', 'be', 0],
])('reads the status from %s', (_, block, status) => {
  expect(statusOf(Buffer.from(block, 'hex'))).toBe(status);
});
