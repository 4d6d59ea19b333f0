import { ApiError, conflict } from '@vireo/api';
import { expect, it } from 'vitest';
import { retryOnConflict } from './writes.ts';

const overtaken = conflict({ group: '', resource: 'nodes' }, 'n1', 'the object has been modified');

/** What comes of a change whose first writes fail as given, and how often it was decided on. */
async function outcome(failures: readonly Error[], refusal?: Error): Promise<[result: string, decisions: number]> {
  let decisions = 0;
  const changed = retryOnConflict(
    async (attempt) => {
      decisions++;
      if (refusal) throw refusal;
      return `decided ${attempt}`;
    },
    async () => {
      const failure = failures[decisions - 1];
      if (failure) throw failure;
    },
  );
  return [await changed.catch((error: Error) => error.message), decisions];
}

it.each([
  ['is written', [], undefined, ['decided 1', 1]],
  ['that others overtake is decided on anew', [overtaken, overtaken], undefined, ['decided 3', 3]],
  ['that others always overtake is given up', Array(50).fill(overtaken), undefined, [overtaken.message, 20]],
  ['that fails otherwise is not tried again', [new ApiError('Forbidden', 'no')], undefined, ['no', 1]],
  ['that is refused is not tried again', [], overtaken, [overtaken.message, 1]],
] as const)('a change %s', async (_, failures, refusal, expected) => {
  expect(await outcome(failures, refusal)).toEqual(expected);
});
