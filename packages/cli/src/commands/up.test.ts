import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { runVireo } from '../testing/vireoProcess.ts';

let directory: string;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'vireo-up-'));
  writeFileSync(join(directory, 'file'), 'not a directory');
});
afterEach(() => rmSync(directory, { recursive: true, force: true }));

it.each([
  { home: () => join(directory, 'file'), says: 'is not a directory' },
  { home: () => join(directory, 'file/below'), says: 'is not a directory' },
  { home: () => '/proc/vireo/home', says: 'cannot be made' },
])('refuses a home that $says', async ({ home, says }) => {
  const { code, stdout, stderr } = await runVireo(['up', '--home', home(), '--port', '0']);
  expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
  expect(stderr).toContain(`the home ${home()} ${says}`);
  expect(stderr).toContain('--home');
  expect(stderr).not.toMatch(/^\s+at /m);
  expect(existsSync(join(home(), 'server.json'))).toBe(false);
});
