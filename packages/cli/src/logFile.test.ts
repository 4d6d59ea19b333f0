import { closeSync, mkdtempSync, openSync, readFileSync, rmSync, statSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { keepLog, logFile } from './logFile.ts';

let home: string;
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'vireo-log-'));
});
afterEach(() => rmSync(home, { recursive: true }));

/** A stream that remembers. */
function stream() {
  const chunks: string[] = [];
  const write = (chunk: string): boolean => chunks.push(chunk) > 0;
  return { chunks, stream: { write } as unknown as NodeJS.WriteStream };
}

it('keeps what is said, and says it all the same', () => {
  const { chunks, stream: error } = stream();
  keepLog(home, error);
  expect(readFileSync(logFile(home), 'utf8')).toBe('');
  error.write('one\n');
  error.write('two\n');
  expect(chunks).toEqual(['one\n', 'two\n']);
  expect(readFileSync(logFile(home), 'utf8')).toBe('one\ntwo\n');
  expect(statSync(logFile(home)).mode & 0o777).toBe(0o600);
});

it('writes nothing twice where standard error is the file itself', () => {
  const fd = openSync(logFile(home), 'a', 0o600);
  const { chunks, stream: error } = stream();
  keepLog(home, Object.assign(error, { fd }));
  error.write('once\n');
  closeSync(fd);
  expect(chunks).toEqual([]);
  expect(readFileSync(logFile(home), 'utf8')).toBe('once\n');
});

it('goes on where an earlier server ended, and makes room', () => {
  const first = stream().stream;
  keepLog(home, first, 10);
  first.write('1234567\n');
  const second = stream().stream;
  keepLog(home, second, 10);
  second.write('89\n');
  expect(readFileSync(`${logFile(home)}.1`, 'utf8')).toBe('1234567\n');
  expect(readFileSync(logFile(home), 'utf8')).toBe('89\n');
});

it('makes room without leaving the file that standard error is', async () => {
  const fd = openSync(logFile(home), 'a', 0o600);
  const { stream: error } = stream();
  keepLog(home, Object.assign(error, { fd }), 10);
  await new Promise((resolve) => error.write('1234567\n', resolve));
  error.write('89\n');
  writeSync(fd, 'crash\n');
  closeSync(fd);
  expect(readFileSync(`${logFile(home)}.1`, 'utf8')).toBe('1234567\n');
  expect(readFileSync(logFile(home), 'utf8')).toBe('89\ncrash\n');
});

it('does not keep a server silent that cannot write', () => {
  const { chunks, stream: error } = stream();
  keepLog(join(home, 'missing'), error);
  error.write('still here');
  expect(chunks).toEqual(['still here']);
});
