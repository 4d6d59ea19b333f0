import { mkdtemp, open, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { cutLog, keepLogsBound, LARGEST_LOG_BYTES } from './logBound.ts';

let directory: string;
let path: string;
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'vireo-log-'));
  path = join(directory, 'libvirtd.log');
});
afterEach(() => rm(directory, { recursive: true, force: true }));

it('cuts a log that is too large under the hands of its writer, and keeps what was in it', async () => {
  await using writer = await open(path, 'a');
  await writer.write('old lines\n');
  await cutLog(path, 5);
  await writer.write('new\n');
  expect(await readFile(path, 'utf8')).toBe('new\n');
  expect(await readFile(`${path}.1`, 'utf8')).toBe('old lines\n');
  await cutLog(path, 5);
  expect(await readFile(path, 'utf8')).toBe('new\n');
});

it('does not mind a log that is not there', async () => {
  await cutLog(path, 5);
  expect(await readdir(directory)).toEqual([]);
});

it('looks after logs from the beginning', async () => {
  await writeFile(path, Buffer.alloc(LARGEST_LOG_BYTES + 1));
  using stopping = new DisposableStack();
  const end = new AbortController();
  stopping.defer(() => end.abort());
  keepLogsBound([path], (error) => expect.unreachable(String(error)), end.signal);
  await vi.waitFor(async () => expect(await readFile(path, 'utf8')).toBe(''));
});
