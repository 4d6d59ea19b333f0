import { expect, it } from 'vitest';
import { PacedWriter } from './pacedWriter.ts';

function slow(mostWaitingBytes?: number) {
  const written: string[] = [];
  const done: (() => void)[] = [];
  const writer = new PacedWriter((bytes, onDone) => {
    written.push(new TextDecoder().decode(bytes));
    done.push(onDone);
  }, mostWaitingBytes);
  const push = (text: string): void => writer.push(new TextEncoder().encode(text));
  return { push, written, step: () => done.shift()?.() };
}

it('writes the next piece when the last is done', () => {
  const { push, written, step } = slow();
  push('a');
  push('b');
  expect(written).toEqual(['a']);
  step();
  expect(written).toEqual(['a', 'b']);
  step();
  push('c');
  expect(written).toEqual(['a', 'b', 'c']);
});

it('cuts a large message into pieces', () => {
  const { push, written, step } = slow();
  push('x'.repeat(300 * 1024));
  step();
  step();
  expect(written.map(({ length }) => length)).toEqual([131072, 131072, 45056]);
});

it('leaves out the oldest of a flood, and says so', () => {
  const { push, written, step } = slow(10);
  push('now');
  for (let count = 0; count < 4; count++) push(`old${count}`);
  step();
  step();
  expect(written[1]).toContain('bytes were left out');
  expect(written.at(-1)).toBe('old3');
});
