import { expect, it } from 'vitest';
import { elsewhere, missing, ownProblems } from './checks.ts';
import { newMachine } from './defaults.ts';

const machine = (name: string) => newMachine({ name, namespace: 'shop', isVireo: true });

it('a machine never starts from an old disk by accident', () => {
  expect(ownProblems(machine('web'), ['web-root'])[0]?.message).toContain('already has a volume web-root');
  expect(ownProblems(machine('web'), ['other-root'])).toEqual([]);
});

it('a name and a namespace are needed', () => {
  expect(missing(machine(''))).toBe('Give it a name first.');
  expect(missing(machine('web'))).toBeUndefined();
});

it('problems of fields that the form lacks are told above it', () => {
  const problems = [
    { message: 'a', path: ['metadata', 'name'] },
    { message: 'b', path: ['spec', 'foo'] },
    { message: 'c' },
    { message: 'd', path: ['metadata', 'name'], document: 1 },
  ];
  expect(elsewhere(problems).map(({ message }) => message)).toEqual(['b', 'c', 'd']);
});
