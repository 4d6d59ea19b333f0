import { expect, it } from 'vitest';
import { choicesOf, freeName, nameProblem, sizeProblem } from './offers.ts';

it('choices are what the machine does not have; the claim of a DataVolume is offered once', () => {
  const vm = {
    metadata: { name: 'web' },
    spec: { template: { spec: { volumes: [{ name: 'root', dataVolume: { name: 'root' } }] } } },
  };
  const claim = (name: string, phase = 'Bound') => ({
    metadata: { name },
    status: { phase, capacity: { storage: '1Gi' } },
  });
  const dataVolume = (name: string, phase: string) => ({ metadata: { name }, status: { phase } });
  expect(
    choicesOf(
      vm,
      [claim('root'), claim('iso'), claim('data'), claim('new', 'Pending')],
      [dataVolume('root', 'Succeeded'), dataVolume('iso', 'ImportInProgress')],
    ),
  ).toEqual([
    { source: { kind: 'claim', name: 'data' }, sizeBytes: 2 ** 30, note: undefined },
    { source: { kind: 'dataVolume', name: 'iso' }, sizeBytes: 2 ** 30, note: 'ImportInProgress' },
    { source: { kind: 'claim', name: 'new' }, sizeBytes: 2 ** 30, note: 'Pending' },
  ]);
});

it('names that are free and fit are suggested', () => {
  expect(freeName('Web.Data', [])).toBe('web-data');
  expect(freeName('data', ['data', 'data-2'])).toBe('data-3');
  expect(freeName('…', [])).toBe('disk');
});

it.each([
  ['', 'Enter a name.'],
  ['Web', 'Use lower-case letters'],
  ['a'.repeat(64), 'at most 63'],
  ['web', 'web is taken.'],
])('the name %j: %s', (name, problem) => expect(nameProblem(name, ['web'])).toContain(problem));

it.each([
  ['10Gi', undefined],
  ['10', 'at least 1Mi'],
  ['ten', 'such as 10Gi'],
])('the size %j: %s', (size, problem) =>
  problem ? expect(sizeProblem(size)).toContain(problem) : expect(sizeProblem(size)).toBeUndefined(),
);
