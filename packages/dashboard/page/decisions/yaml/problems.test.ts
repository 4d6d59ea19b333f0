import { expect, it } from 'vitest';
import { isAt, problemsIn } from './problems.ts';

it('causes name their fields', () => {
  const causes = [
    { message: 'Invalid RunStrategy (Bogus)', field: 'spec.runStrategy' },
    { message: 'whole', field: '<nil>' },
  ];
  expect(problemsIn('denied', causes)).toEqual([
    { message: 'Invalid RunStrategy (Bogus)', path: ['spec', 'runStrategy'] },
    { message: 'whole' },
  ]);
});

it('strict decoding names its fields in the message', () => {
  const message = 'strict decoding error: unknown field "spec.foo", duplicate field "spec.disks[0].name"';
  expect(problemsIn(message)).toEqual([
    { message: 'unknown field "spec.foo"', path: ['spec', 'foo'] },
    { message: 'duplicate field "spec.disks[0].name"', path: ['spec', 'disks', 0, 'name'] },
  ]);
});

it('other refusals are about the whole', () => {
  expect(problemsIn('exceeded quota')).toEqual([{ message: 'exceeded quota' }]);
});

it('a problem below a path is at it', () => {
  const [problem] = problemsIn('', [{ message: 'x', field: 'spec.volumes[1].dataVolume.name' }]);
  expect(problem && isAt(problem, [['spec', 'volumes', 1]])).toBe(true);
  expect(problem && isAt(problem, [['spec', 'volumes', 0], ['metadata']])).toBe(false);
  expect(isAt({ message: 'x' }, [['spec']])).toBe(false);
});
