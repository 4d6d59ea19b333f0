import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { runVireo } from '../testing/vireoProcess.ts';
import { statusText } from './status.ts';

let home: string;
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'vireo-status-'));
});
afterEach(() => rmSync(home, { recursive: true, force: true }));

it('says that no server runs, with exit code 1', async () => {
  const { code, stdout, stderr } = await runVireo(['status', '--home', home]);
  expect({ code, stderr }).toEqual({ code: 1, stderr: '' });
  expect(stdout).toBe(`No server runs on ${home}. Start one with: vireo up\n`);
});

it('says so on a home that does not exist, without making it', async () => {
  const { code, stdout } = await runVireo(['status', '-o', 'json'], { VIREO_HOME: join(home, 'none') });
  expect(code).toBe(1);
  expect(JSON.parse(stdout)).toEqual({ home: join(home, 'none'), running: false, ready: false });
});

it('shows a running server as rows', () => {
  const text = statusText({ home: '/h', running: true, ready: false, pid: 7, version: '0.1.0', startedAt: 'then' });
  expect(text).toMatch(/^A server runs on \/h$/m);
  expect(text).toMatch(/^ {2}ready +no$/m);
  expect(text).toMatch(/^ {2}port +not yet$/m);
});

it('kubeconfig prints the path when the file is there, and says what makes it when not', async () => {
  expect(await runVireo(['kubeconfig', '--home', home])).toMatchObject({
    code: 1,
    stdout: '',
    stderr: expect.stringContaining('vireo up'),
  });
  writeFileSync(join(home, 'kubeconfig'), '');
  expect(await runVireo(['kubeconfig', '--home', home])).toMatchObject({ code: 0, stdout: `${home}/kubeconfig\n` });
});
