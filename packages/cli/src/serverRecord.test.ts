import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { processIdentity } from './processIdentity.ts';
import { readServerRecord, removeServerRecord, writeServerRecord } from './serverRecord.ts';
import { runVireo } from './testing/vireoProcess.ts';

let home: string;
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'vireo-record-'));
});
afterEach(() => rmSync(home, { recursive: true, force: true }));

const recordOf = (pid: number) => ({
  pid,
  identity: processIdentity(pid) ?? 'gone',
  version: '0.1.0',
  startedAt: '2026-01-01T00:00:00.000Z',
  port: 6443,
});

it('a live process is found by its record until it is removed', () => {
  writeServerRecord(home, recordOf(process.pid));
  expect(readServerRecord(home)).toEqual(recordOf(process.pid));
  removeServerRecord(home);
  expect(readServerRecord(home)).toBeUndefined();
});

it('a record left by a dead process, or by an earlier process with the same number, counts for nothing', async () => {
  const child = spawn('sleep', ['60']);
  await once(child, 'spawn');
  const record = recordOf(child.pid ?? 0);
  writeServerRecord(home, { ...record, identity: 'an earlier process' });
  expect(readServerRecord(home)).toBeUndefined();

  writeServerRecord(home, record);
  expect(readServerRecord(home)?.pid).toBe(child.pid);
  child.kill('SIGKILL');
  await once(child, 'exit');
  expect(readServerRecord(home)).toBeUndefined();
});

it.each(['', '{', '[]', 'null', '{"pid":"1"}', '{"pid":1.5,"identity":"x"}'])(
  'a damaged record counts for nothing: %s',
  (text) => {
    writeFileSync(join(home, 'server.json'), text);
    expect(readServerRecord(home)).toBeUndefined();
  },
);

it('down ends the recorded process and says so; a second time there is nothing to do', async () => {
  const child = spawn('sleep', ['60']);
  await once(child, 'spawn');
  const exited = once(child, 'exit');
  writeServerRecord(home, recordOf(child.pid ?? 0));

  const first = await runVireo(['down', '--home', home]);
  expect(await exited).toEqual([null, 'SIGTERM']);
  expect(first).toMatchObject({ code: 0, stderr: '' });
  expect(first.stdout).toContain(`pid ${child.pid}`);

  expect(await runVireo(['down', '--home', home])).toMatchObject({
    code: 0,
    stdout: `No server is running on ${home}, and no VMs are running.\n`,
  });
});

it('down leaves a process alone that only has the recorded number', async () => {
  writeServerRecord(home, { ...recordOf(process.pid), identity: 'an earlier process' });
  const { code, stdout } = await runVireo(['down', '--home', home]);
  expect(code).toBe(0);
  expect(stdout).toContain('No server is running');
});

it('up refuses a home that a running server has', async () => {
  writeServerRecord(home, recordOf(process.pid));
  const { code, stderr } = await runVireo(['up', '--home', home, '--port', '0']);
  expect(code).toBe(1);
  expect(stderr).toContain(`in use by the server with pid ${process.pid} on port 6443`);
  expect(stderr).toContain(`vireo down --home ${home}`);
});
