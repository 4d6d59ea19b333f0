import { mkdir, mkdtemp, readdir, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { memoryLog } from '@vireo/kube/testing/memoryLog.ts';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { AuditLog, backupsToRemove } from './log.ts';
import { openAudit } from './open.ts';

let directory: string;
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'vireo-audit-'));
});
afterEach(() => rm(directory, { recursive: true }));

const options = (more: object = {}) => ({
  path: join(directory, 'audit.log'),
  maxSizeMb: 100,
  maxBackups: 2,
  maxAgeDays: 0,
  ...more,
});

test('events are lines of a file that only its owner reads', async () => {
  const log = new AuditLog(options(), { log: memoryLog() });
  for (const id of [1, 2, 3]) log.write({ id });
  await log.close();
  const { path } = options();
  expect(await readFile(path, 'utf8')).toBe('{"id":1}\n{"id":2}\n{"id":3}\n');
  expect((await stat(path)).mode & 0o777).toBe(0o600);
});

test('a full file makes room, and no event is lost or cut in two', async () => {
  let now = Date.parse('2026-01-01T00:00:00Z');
  const log = new AuditLog(options({ maxSizeMb: 0.001 }), { log: memoryLog(), now: () => now });
  const text = 'x'.repeat(500);
  for (let id = 0; id < 8; id++) {
    log.write({ id, text });
    // One write each, as from requests that come one by one.
    await log.close();
    now += 1000;
  }
  const files = (await readdir(directory)).sort();
  expect(files).toEqual(['audit-2026-01-01T00-00-04.000.log', 'audit-2026-01-01T00-00-06.000.log', 'audit.log']);
  const lines = (await Promise.all(files.map((file) => readFile(join(directory, file), 'utf8'))))
    .join('')
    .trim()
    .split('\n');
  expect(lines.map((line) => JSON.parse(line).id)).toEqual([2, 3, 4, 5, 6, 7]);
  for (const file of files) expect((await stat(join(directory, file))).mode & 0o777).toBe(0o600);
});

test.each<[string, object, string[]]>([
  ['too many', { maxBackups: 1, maxAgeDays: 0 }, ['a-2026-01-02T00-00-00.000.log', 'a-2026-01-01T00-00-00.000.log']],
  ['too old', { maxBackups: 0, maxAgeDays: 2 }, ['a-2026-01-01T00-00-00.000.log']],
  ['kept', { maxBackups: 0, maxAgeDays: 0 }, []],
])('earlier files that are %s', (_, limits, removed) => {
  const files = [
    'a-2026-01-01T00-00-00.000.log',
    'a-2026-01-02T00-00-00.000.log',
    'a-2026-01-03T00-00-00.000.log',
    'a.log',
    'a-notes.log',
    'b-2020-01-01T00-00-00.000.log',
  ];
  const now = Date.parse('2026-01-03T12:00:00Z');
  expect(backupsToRemove(files, '/x/a.log', { maxBackups: 0, maxAgeDays: 0, now, ...limits })).toEqual(removed);
});

test('a log that cannot be written says so once, and takes events again when it can', async () => {
  const said = memoryLog();
  const path = join(directory, 'missing', 'audit.log');
  const log = new AuditLog(options({ path }), { log: said });
  log.write({ id: 1 });
  await log.close();
  log.write({ id: 2 });
  await log.close();
  expect(said.entries.map(({ message, fields }) => [message, fields?.lost])).toEqual([
    ['audit events cannot be logged and are lost; requests are served all the same', 1],
  ]);
  await mkdir(join(directory, 'missing'));
  log.write({ id: 3 });
  await log.close();
  expect(await readFile(path, 'utf8')).toBe('{"id":3}\n');
});

test('a server whose log cannot be written from the beginning does not start', async () => {
  const open = (logPath: string) => openAudit({ logPath }, directory, memoryLog());
  await expect(open(join(directory, 'missing', 'audit.log'))).rejects.toThrow(
    /^the audit log .* cannot be written: ENOENT/,
  );
  await expect(openAudit({ policyFile: '/missing' }, directory, memoryLog())).rejects.toThrow(
    'the audit policy /missing cannot be read',
  );
  expect(await openAudit({}, directory, memoryLog())).toBeUndefined();
});
