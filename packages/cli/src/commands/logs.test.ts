import { appendFileSync, copyFileSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { additions, lastLines } from './logs.ts';

it.each([
  ['a\nb\nc\n', undefined, 'a\nb\nc\n'],
  ['a\nb\nc\n', 2, 'b\nc\n'],
  ['a\nb\nunfinished', 2, 'b\nunfinished'],
  ['a\n', 5, 'a\n'],
  ['a\n', 0, ''],
  ['', 3, ''],
])('of %j the last %j lines are %j', (text, count, lines) => {
  expect(lastLines(text, count)).toBe(lines);
});

it('a log is followed through a copy that leaves it empty', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'vireo-logs-'));
  const file = join(directory, 'log');
  writeFileSync(file, 'before\n');
  const steps = [
    () => appendFileSync(file, 'one\n'),
    () => {
      appendFileSync(file, 'two\n');
      copyFileSync(file, `${file}.1`);
      writeFileSync(file, 'three\n');
    },
    () => appendFileSync(file, 'four\n'),
  ];
  const isWritten = (): boolean => {
    steps.shift()?.();
    return steps.length > 0;
  };
  let text = '';
  for await (const chunk of additions(file, 'before\n'.length, isWritten, 0)) text += chunk.toString();
  expect(text).toBe('one\ntwo\nthree\nfour\n');
  rmSync(directory, { recursive: true });
});

it('a log is followed through a rename, and to its end', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'vireo-logs-'));
  const file = join(directory, 'log');
  writeFileSync(file, 'before\n');
  const steps = [
    () => appendFileSync(file, 'one\n'),
    () => {
      appendFileSync(file, 'two\n');
      renameSync(file, `${file}.1`);
      writeFileSync(file, 'three\n');
    },
    () => appendFileSync(file, 'four\n'),
  ];
  const isWritten = (): boolean => {
    steps.shift()?.();
    return steps.length > 0;
  };
  let text = '';
  for await (const chunk of additions(file, 'before\n'.length, isWritten, 0)) text += chunk.toString();
  expect(text).toBe('one\ntwo\nthree\nfour\n');
  rmSync(directory, { recursive: true });
});
