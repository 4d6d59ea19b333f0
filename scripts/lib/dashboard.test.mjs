import { mkdirSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { pageFingerprint, pageTimes, whyNotBuilt } from './dashboard.mjs';
import { servesPage } from './vireo.mjs';

let dashboard;
beforeEach(() => {
  dashboard = mkdtempSync(join(tmpdir(), 'vireo-dashboard-'));
  mkdirSync(join(dashboard, 'page/data'), { recursive: true });
  mkdirSync(join(dashboard, 'src/figures'), { recursive: true });
  for (const file of ['package.json', 'vite.config.ts', 'page/main.tsx', 'page/data/api.ts', 'page/data/api.test.ts'])
    writeFileSync(join(dashboard, file), '');
  writeFileSync(join(dashboard, 'src/figures/service.ts'), '');
});
afterEach(() => rmSync(dashboard, { recursive: true, force: true }));

it.each([
  'package.json',
  'vite.config.ts',
  'page/main.tsx',
  'page/data/api.ts',
  'page/data/new.ts',
  'src/figures/service.ts',
])('a change of %s asks for a build', (file) => {
  const before = pageFingerprint(dashboard);
  const times = pageTimes(dashboard);
  expect(pageFingerprint(dashboard)).toBe(before);
  expect(pageTimes(dashboard)).toBe(times);
  writeFileSync(join(dashboard, file), '1');
  expect(pageFingerprint(dashboard)).not.toBe(before);
  expect(pageTimes(dashboard)).not.toBe(times);
});

it('a file that was only touched is read, and asks for no build', () => {
  const before = pageFingerprint(dashboard);
  const times = pageTimes(dashboard);
  utimesSync(join(dashboard, 'page/main.tsx'), 1, 1);
  expect(pageTimes(dashboard)).not.toBe(times);
  expect(pageFingerprint(dashboard)).toBe(before);
});

it.each([
  [{ output: 'ENOSPC: no space left on device, write' }, /^The disk is full\.\nENOSPC/],
  [{ signal: 'SIGKILL', output: '' }, /^Vite was ended by SIGKILL, .* memory runs out\.$/],
  [{ output: 'page/App.tsx:3 unexpected token\n' }, /^page\/App\.tsx:3 unexpected token$/],
  [{ output: '' }, /^Vite said nothing\.$/],
])('a build that failed with %o says why', (ended, reason) => {
  expect(whyNotBuilt(ended)).toMatch(reason);
});

it.each([
  [['up', '--port', '7443'], true],
  [['dashboard'], true],
  [['list'], false],
  [['up', '--help'], false],
])('vireo %j serves the page: %s', (args, serves) => {
  expect(servesPage(args)).toBe(serves);
});

it('a change of a test asks for none', () => {
  const before = pageFingerprint(dashboard);
  writeFileSync(join(dashboard, 'page/data/api.test.ts'), '1');
  expect(pageFingerprint(dashboard)).toBe(before);
});
