import { appendFile, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { LogFile, type LogSource } from './logFile.ts';

let directory: string;
let path: string;
let mayGrow: boolean;

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'vireo-log-'));
  path = join(directory, 'serial.log');
  mayGrow = true;
});
afterEach(() => rm(directory, { recursive: true, force: true }));

const log = (query = ''): LogFile => {
  const source: LogSource = { path, mayGrow: () => mayGrow };
  return new LogFile(source, new URLSearchParams(query));
};
async function all(query?: string): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of log(query).read(new AbortController().signal)) chunks.push(chunk);
  return Buffer.concat(chunks).toString();
}

it.each([
  ['', 'one\ntwo\nthree\n'],
  ['tailLines=2', 'two\nthree\n'],
  ['tailLines=9', 'one\ntwo\nthree\n'],
  ['tailLines=0', ''],
  ['limitBytes=5', 'one\nt'],
  ['tailLines=1&limitBytes=3', 'thr'],
])('%s', async (query, expected) => {
  await writeFile(path, 'one\ntwo\nthree\n');
  expect(await all(query)).toBe(expected);
});

it('the last line counts without a line end, too', async () => {
  await writeFile(path, 'one\ntwo');
  expect(await all('tailLines=1')).toBe('two');
});

it('lines are counted across long logs', async () => {
  const line = `${'x'.repeat(99)}\n`;
  await writeFile(path, line.repeat(3000));
  expect(await all('tailLines=2000')).toBe(line.repeat(2000));
});

it('a guest that has printed nothing has an empty log', async () => {
  expect(await all()).toBe('');
});

it('what comes is followed until the guest has ended', async () => {
  await writeFile(path, 'one\n');
  const chunks = log('follow=true').read(new AbortController().signal);
  expect((await chunks.next()).value?.toString()).toBe('one\n');
  const next = chunks.next();
  await appendFile(path, 'two\n');
  expect((await next).value?.toString()).toBe('two\n');
  const last = chunks.next();
  mayGrow = false;
  await appendFile(path, 'farewell\n');
  expect((await last).value?.toString()).toBe('farewell\n');
  expect((await chunks.next()).done).toBe(true);
});

it('following ends with the reader', async () => {
  const stop = new AbortController();
  const chunks = log('follow=true').read(stop.signal);
  const next = chunks.next();
  stop.abort();
  expect((await next).done).toBe(true);
});
