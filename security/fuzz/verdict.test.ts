import { expect, it } from 'vitest';
import { verdict } from './verdict.ts';

const HOME = '/home/ada/.vireo';
const answer = (status: number, body: string, headers = {}) => ({ status, headers, body });

it.each<[string, ReturnType<typeof answer>, RegExp | undefined]>([
  ['a refusal', answer(400, '{"message":"json parse error: Unexpected token"}'), undefined],
  ['what is not there yet', answer(501, '{}'), undefined],
  ['a fault', answer(500, '{"message":"Internal error occurred"}'), /answered with 500/],
  [
    'a 500 of the original',
    answer(500, '{"message":"failed to create typed patch object (/w; v1): x","code":500}'),
    undefined,
  ],
  ['a stack', answer(400, 'x\n    at serve (/a/b.js:1:2)'), /a stack trace/],
  ['a place in the sources', answer(400, 'in draft.ts:12'), /a place in the sources/],
  ['a path of the home', answer(404, `${HOME}/store.db is missing`), /a path in the home/],
  ['an inner error', answer(422, 'TypeError: x is undefined'), /the name of an inner error/],
  ['a forged header', answer(404, '{}', { 'x-forged': 'yes' }), /let a header be forged/],
])('%s', (_, found, problem) => {
  if (problem) expect(verdict(found, '/api', HOME)).toMatch(problem);
  else expect(verdict(found, '/api', HOME)).toBeUndefined();
});

it('volumes say where they are, refusals of volumes do not', () => {
  const body = `"local":{"path":"${HOME}/volumes/a"}`;
  expect(verdict(answer(200, body), '/api/v1/persistentvolumes?x=1', HOME)).toBeUndefined();
  expect(verdict(answer(404, body), '/api/v1/persistentvolumes/a', HOME)).toMatch(/a path in the home/);
  expect(verdict(answer(200, body), '/api/v1/persistentvolumeclaims', HOME)).toMatch(/a path in the home/);
});
