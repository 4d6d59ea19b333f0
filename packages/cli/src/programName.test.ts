import { expect, it } from 'vitest';
import { nameFrom } from './programName.ts';

it.each([
  { calledAs: undefined, name: 'vireo' },
  { calledAs: '/usr/local/bin/vireo', name: 'vireo' },
  { calledAs: 'virtctl', name: 'virtctl' },
  { calledAs: 'kubectl-virt', name: 'kubectl virt' },
])('called as $calledAs, it is $name', ({ calledAs, name }) => {
  expect(nameFrom(calledAs)).toBe(name);
});
