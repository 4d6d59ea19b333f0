import { expect, it } from 'vitest';
import { isNewEnough, parseKubectlVersion } from '../kubectl.mjs';
import { sourcesForRelease } from './debianArchive.mjs';

it.each([
  ['v1.20.2', false],
  ['v1.26.15', false],
  ['v1.27.0', true],
  ['v1.32.4-dispatcher', true],
  ['v2.0.0', true],
])('kubectl %s is new enough: %s', (gitVersion, expected) => {
  expect(isNewEnough(parseKubectlVersion(JSON.stringify({ clientVersion: { gitVersion } })))).toBe(expected);
});

it.each(['', 'not json', '{"clientVersion":{}}'])('"%s" is no version', (text) => {
  expect(isNewEnough(parseKubectlVersion(text))).toBe(false);
});

it('takes the machine’s own mirror, and other vendors’ archives of the same name only after it', () => {
  const targets = [
    'https://vendor.example/apt/ bookworm main',
    'http://mirror.example/debian/ bookworm main',
    'http://mirror.example/debian/ bookworm main',
    'http://mirror.example/debian/ bookworm-updates main',
    'http://mirror.example/debian-security/ bookworm-security main',
    'https://containers.example/ bookworm stable',
    '',
  ].join('\n');
  expect(sourcesForRelease(targets, 'bookworm', '/keys.gpg', 'trixie')).toEqual([
    'deb [signed-by=/keys.gpg] http://mirror.example/debian/ trixie main',
    'deb [signed-by=/keys.gpg] https://vendor.example/apt/ trixie main',
  ]);
});
