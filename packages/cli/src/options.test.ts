import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { defaultHome, parseHome, parseNodeCount, parsePeriod, parsePort } from './options.ts';

it.each([
  { user: { isRoot: true, homeDirectory: '/root' }, home: '/var/lib/vireo' },
  { user: { isRoot: false, homeDirectory: '/home/ada' }, home: '/home/ada/.vireo' },
])('the default home of $user.homeDirectory is $home', ({ user, home }) => {
  expect(defaultHome(user)).toBe(home);
});

it('a home is absolute from the start, so that it means the same after a change of directory', () => {
  expect(parseHome('scratch')).toBe(`${process.cwd()}/scratch`);
  expect(parseHome('/srv/vireo/')).toBe('/srv/vireo');
});

it('a home has one name, whichever links lead to it', () => {
  const directory = mkdtempSync(join(tmpdir(), 'vireo-options-'));
  try {
    mkdirSync(join(directory, 'real'));
    symlinkSync('real', join(directory, 'link'));
    const real = realpathSync(join(directory, 'real'));
    expect(parseHome(join(directory, 'link'))).toBe(real);
    expect(parseHome(join(directory, 'link/not/yet'))).toBe(`${real}/not/yet`);
  } finally {
    rmSync(directory, { recursive: true });
  }
});

it.each(['0', '443', '65535'])('%s is a port', (text) => {
  expect(parsePort(text)).toBe(Number(text));
});

it.each(['', '-1', '65536', '6443x', '0x10', '1e3', ' 1'])('"%s" is no port', (text) => {
  expect(() => parsePort(text)).toThrow('from 0 to 65535');
});

it('a number of nodes is a number, and not beyond all reason', () => {
  expect(parseNodeCount('100')).toBe(100);
  for (const text of ['-1', 'many', '5001', '1.5']) expect(() => parseNodeCount(text)).toThrow('from 0 to 5000');
});

it('reads how often something is repeated, as Go writes it', () => {
  expect(parsePeriod('1m30s')).toBe(90_000);
  for (const text of ['15', '0s', '99ms', '-1s', 'often']) expect(() => parsePeriod(text)).toThrow('at least 100ms');
});
