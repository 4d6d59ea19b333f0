import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { pageFingerprint } from './dashboard.mjs';

let dashboard;
beforeEach(() => {
  dashboard = mkdtempSync(join(tmpdir(), 'vireo-dashboard-'));
  mkdirSync(join(dashboard, 'page/data'), { recursive: true });
  for (const file of ['package.json', 'vite.config.ts', 'page/main.tsx', 'page/data/api.ts', 'page/data/api.test.ts'])
    writeFileSync(join(dashboard, file), '');
});
afterEach(() => rmSync(dashboard, { recursive: true, force: true }));

it.each(['package.json', 'vite.config.ts', 'page/main.tsx', 'page/data/api.ts', 'page/data/new.ts'])(
  'a change of %s asks for a build',
  (file) => {
    const before = pageFingerprint(dashboard);
    expect(pageFingerprint(dashboard)).toBe(before);
    writeFileSync(join(dashboard, file), '1');
    expect(pageFingerprint(dashboard)).not.toBe(before);
  },
);

it('a change of a test asks for none', () => {
  const before = pageFingerprint(dashboard);
  writeFileSync(join(dashboard, 'page/data/api.test.ts'), '1');
  expect(pageFingerprint(dashboard)).toBe(before);
});
