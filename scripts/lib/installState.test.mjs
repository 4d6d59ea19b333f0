import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { fingerprint, mustStartAfresh } from './installState.mjs';

let project;
beforeEach(() => {
  project = mkdtempSync(join(tmpdir(), 'vireo-project-'));
  mkdirSync(join(project, 'packages/one'), { recursive: true });
  for (const file of ['package.json', 'package-lock.json', 'packages/one/package.json'])
    writeFileSync(join(project, file), '{}');
});
afterEach(() => rmSync(project, { recursive: true, force: true }));

it.each(['package.json', 'package-lock.json', 'packages/one/package.json'])(
  'a change of %s asks for an installation',
  (file) => {
    const before = fingerprint(project);
    expect(fingerprint(project)).toBe(before);
    writeFileSync(join(project, file), '{ }');
    expect(fingerprint(project)).not.toBe(before);
  },
);

it('a new package asks for an installation, and a directory without package.json is no obstacle', () => {
  mkdirSync(join(project, 'packages/two'));
  const before = fingerprint(project);
  writeFileSync(join(project, 'packages/two/package.json'), '{}');
  expect(fingerprint(project)).not.toBe(before);
});

it.each([
  { stamp: undefined, installedByNpm: false, afresh: true, why: 'nothing is there, or npm was cut off' },
  { stamp: undefined, installedByNpm: true, afresh: false, why: 'the user ran npm by hand' },
  { stamp: { state: 'installing' }, installedByNpm: true, afresh: true, why: 'the last set-up was cut off' },
  { stamp: { state: 'installed' }, installedByNpm: true, afresh: false, why: 'the lock file changed' },
])('starts afresh: $afresh, when $why', ({ stamp, installedByNpm, afresh }) => {
  expect(mustStartAfresh(stamp, installedByNpm)).toBe(afresh);
});
