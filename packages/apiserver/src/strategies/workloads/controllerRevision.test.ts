import { expect, test } from 'vitest';
import { changeProblems, problems } from '../../testing/strategies.ts';
import { controllerRevisionStrategy } from './controllerRevision.ts';

const revision = (rest: object = {}) => ({ metadata: { name: 'r' }, data: { a: 1 }, revision: 1, ...rest });

test('a revision has data and a number', () => {
  expect(problems(controllerRevisionStrategy, revision())).toEqual([]);
  expect(problems(controllerRevisionStrategy, revision({ data: undefined, revision: -1 }))).toEqual([
    'data: Required value: data is mandatory',
    'revision: Invalid value: -1: must be greater than or equal to 0',
  ]);
});

test('its data stays, its number may rise', () => {
  expect(changeProblems(controllerRevisionStrategy, revision({ revision: 2 }), revision())).toEqual([]);
  expect(changeProblems(controllerRevisionStrategy, revision({ data: { a: 2 } }), revision())).toEqual([
    'data: Invalid value: {"a":2}: field is immutable',
  ]);
});
