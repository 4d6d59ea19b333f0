import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { withLock } from './lock.mjs';

let directory;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'vireo-lock-'));
});
afterEach(() => rmSync(directory, { recursive: true, force: true }));

it('holds the lock while the work goes on and frees it after success and failure', async () => {
  const path = join(directory, 'a/lock');
  await withLock(
    path,
    () => {},
    async () => expect(readFileSync(path, 'utf8')).toBe(String(process.pid)),
  );
  expect(existsSync(path)).toBe(false);
  await expect(
    withLock(
      path,
      () => {},
      () => Promise.reject(new Error('no')),
    ),
  ).rejects.toThrow('no');
  expect(existsSync(path)).toBe(false);
});

it('takes over from an owner that died', async () => {
  const path = join(directory, 'lock');
  const child = spawn('true');
  await once(child, 'exit');
  writeFileSync(path, String(child.pid));
  const waited = [];
  await withLock(
    path,
    (owner) => waited.push(owner),
    async () => {},
  );
  expect(waited).toEqual([]);
});

it('lets eight processes work one at a time, each waiting for the others', async () => {
  const source = `
    import { appendFileSync } from 'node:fs';
    import { setTimeout as delay } from 'node:timers/promises';
    import { withLock } from ${JSON.stringify(new URL('./lock.mjs', import.meta.url).href)};
    await withLock(process.argv[1] + '/lock', () => {}, async () => {
      appendFileSync(process.argv[1] + '/log', 'in\\n');
      await delay(5);
      appendFileSync(process.argv[1] + '/log', 'out\\n');
    });`;
  const children = Array.from({ length: 8 }, () =>
    spawn(process.execPath, ['--input-type=module', '--eval', source, directory], { stdio: 'inherit' }),
  );
  const codes = await Promise.all(children.map(async (child) => (await once(child, 'exit'))[0]));
  expect(codes).toEqual(Array(8).fill(0));
  expect(readFileSync(join(directory, 'log'), 'utf8')).toBe('in\nout\n'.repeat(8));
});
