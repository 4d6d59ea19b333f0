import { expect, it } from 'vitest';
import { type Locked, lockProblems } from './dependencies.ts';

const good: Locked = { integrity: 'sha512-x', license: 'MIT' };

it.each<[string, Locked, RegExp | undefined]>([
  ['a package as it should be', good, undefined],
  ['a link to one of our own', { link: true }, undefined],
  ['no hash', { ...good, integrity: undefined }, /has no sha512/],
  ['a weak hash', { ...good, integrity: 'sha1-x' }, /has no sha512/],
  ['a package that comes in the open', { ...good, resolved: 'http://registry.example/x.tgz' }, /by https/],
  ['a package from a repository', { ...good, resolved: 'git+ssh://git@example.com/x.git' }, /by https/],
  ['a script at installation', { ...good, hasInstallScript: true }, /runs an install script/],
  ['one of two licenses', { ...good, license: '(GPL-3.0 OR MIT)' }, undefined],
  ['another license', { ...good, license: 'GPL-3.0' }, /license GPL-3.0/],
  ['no license', { ...good, license: undefined }, /license unknown/],
])('%s', (_, locked, problem) => {
  const problems = lockProblems('node_modules/x', locked, false);
  if (problem) expect(problems.join('\n')).toMatch(problem);
  else expect(problems).toEqual([]);
});

it('the script of the package that brings Node is known, and those of development may be copyleft by file', () => {
  expect(lockProblems('node_modules/node', { ...good, hasInstallScript: true }, false)).toEqual([]);
  expect(lockProblems('node_modules/x', { ...good, license: 'MPL-2.0' }, true)).toEqual([]);
  expect(lockProblems('node_modules/x', { ...good, license: 'MPL-2.0' }, false)).not.toEqual([]);
});
