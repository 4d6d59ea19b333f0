import { expect, it } from 'vitest';
import type { Answer } from './case.ts';
import { compareAnswers } from './compare.ts';
import { normalise } from './normalise.ts';

const GROUP = 'case7.example.com';
const answer = (body: unknown, code = 200): Answer => ({ code, warnings: [], body });
const bodies = (...answers: readonly unknown[]): unknown[] =>
  normalise(
    answers.map((body) => answer(body)),
    GROUP,
  ).map(({ body }) => body);
const object = (resourceVersion: string, more: object = {}) => ({ metadata: { resourceVersion, ...more } });

it('versions become ordinals, so that a write that changes nothing still shows', () => {
  expect(bodies(object('17'), object('17'), object('23'))).toEqual([
    object('version 1'),
    object('version 1'),
    object('version 2'),
  ]);
});

it('times and uids are the same for everybody, but not their absence', () => {
  const [first, second] = bodies(
    object('1', {
      uid: '0a0a0a0a-1111-2222-3333-444455556666',
      managedFields: [{ manager: 'a', time: '2026-01-02T03:04:05Z' }, { manager: 'b' }],
    }),
    object('1', { uid: 'u1' }),
  );
  expect(first).toEqual(
    object('version 1', { uid: 'uid 1', managedFields: [{ manager: 'a', time: 'a time' }, { manager: 'b' }] }),
  );
  expect(second).toEqual(object('version 1', { uid: 'u1' }));
});

it('the group of a case is one name', () => {
  expect(bodies({ message: `widgets.${GROUP} "w" not found` })).toEqual([{ message: 'widgets.{group} "w" not found' }]);
});

it('the order of entries that depends on the clock is not compared', () => {
  const entries = ['b', 'a'].map((manager) => ({ operation: 'Update', manager }));
  expect(bodies({ metadata: { managedFields: entries } })).toEqual([
    { metadata: { managedFields: entries.toReversed() } },
  ]);
});

it('the order of causes, which the real server does not promise, is not compared', () => {
  const causes = [
    { reason: 'FieldValueInvalid', message: 'Invalid value: 1: no', field: 'spec.b' },
    { reason: 'FieldValueRequired', message: 'Required value', field: 'spec.a' },
  ];
  const status = (list: typeof causes) => ({
    kind: 'Status',
    reason: 'Invalid',
    message: `Widget.g "w" is invalid: [${list.map(({ field, message }) => `${field}: ${message}`).join(', ')}]`,
    details: { causes: list },
  });
  const [first, second] = bodies(status(causes), status(causes.toReversed()));
  expect(first).toEqual(second);
  expect(bodies({ ...status(causes), message: 'other words' })).not.toEqual([first]);
});

it.each([
  ['failed to create typed patch object (ns/n; g/v, Kind=K): errors:\n  .b: x\n  .a: y', 'errors:\n  .a: y\n  .b: x'],
  ['one line', 'one line'],
])('the order of lines of several typed errors is not compared: %j', (message, expected) => {
  const [body] = bodies({ kind: 'Status', message });
  expect((body as { message: string }).message).toContain(expected);
});

it.each<[what: string, real: Answer, ours: Answer, at: string[]]>([
  ['nothing', answer({ a: [1, { b: 2 }] }), answer({ a: [1, { b: 2 }] }), []],
  ['another code, and nothing else then', answer({ a: 1 }, 201), answer({ b: 1 }), ['answer']],
  [
    'a cause',
    answer({ details: { causes: [{ field: 'a' }, { field: 'b' }] } }),
    answer({ details: { causes: [{ field: 'b' }] } }),
    ['body/details/causes'],
  ],
  ['a value', answer({ a: { b: 1 } }), answer({ a: { b: 2 } }), ['body/a/b']],
  ['what is missing', answer({ a: null }), answer({}), ['body/a']],
  ['what is too much', answer([1]), answer([1, 2]), ['body/1']],
  ['a list for an object', answer({ a: [] }), answer({ a: {} }), ['body/a']],
  ['a number that is a text', answer({ a: 1 }), answer({ a: '1' }), ['body/a']],
])('the comparison finds %s', (_, real, ours, at) => {
  expect(compareAnswers([real], [ours]).map((difference) => difference.at)).toEqual(at);
});
