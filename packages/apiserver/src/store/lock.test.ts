import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { lockStore, StoreLocked } from './lock.ts';

const home = mkdtempSync(join(tmpdir(), 'vireo-lock-'));
const children: ChildProcess[] = [];
afterAll(() => {
  for (const child of children) child.kill('SIGKILL');
  rmSync(home, { recursive: true });
});

/** Another process that takes the lock, says how that went, and then waits to be killed. */
async function lockElsewhere(file: string): Promise<{ child: ChildProcess; output: string }> {
  const program = `
    const { lockStore } = await import(${JSON.stringify(new URL('./lock.ts', import.meta.url).href)});
    try { globalThis.lock = lockStore(${JSON.stringify(file)}); console.log('locked'); }
    catch (error) { console.log(error.message); }
    setInterval(() => {}, 1000);
  `;
  const child = spawn(process.execPath, ['--input-type=module', '-e', program], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  children.push(child);
  const [output] = (await once(child.stdout!, 'data')) as [Buffer];
  return { child, output: output.toString().trim() };
}

test('nobody else can read the files of the lock, or they could hold it', () => {
  const file = join(home, 'mode.db');
  const lock = lockStore(file);
  for (const each of [`${file}.lock`, `${file}.lock-journal`]) expect(statSync(each).mode & 0o777).toBe(0o600);
  lock.release();
});

test('a second process is refused, and told by whom', async () => {
  const file = join(home, 'a.db');
  const lock = lockStore(file);
  expect((await lockElsewhere(file)).output).toBe(
    `${file} is in use by process ${process.pid} (it holds ${file}.lock): stop it first, or choose another home`,
  );
  lock.release();
  expect((await lockElsewhere(file)).output).toBe('locked');
});

test('a lock dies with its process, however that ends', async () => {
  const file = join(home, 'b.db');
  const { child, output } = await lockElsewhere(file);
  expect(output).toBe('locked');
  expect(() => lockStore(file)).toThrow(StoreLocked);
  expect(() => lockStore(file)).toThrow(`process ${child.pid}`);
  child.kill('SIGKILL');
  await once(child, 'exit');
  lockStore(file).release();
});

test('a second attempt in the same process is refused, and does not weaken the first', async () => {
  const file = join(home, 'c.db');
  const lock = lockStore(file);
  expect(() => lockStore(file)).toThrow(StoreLocked);
  expect((await lockElsewhere(file)).output).toContain('is in use by process');
  lock.release();
});
