import { ApiError, type StatusReason } from '@vireo/api';
import { describe, expect, it } from 'vitest';
import { ignoreAlreadyExists, ignoreConcurrentCreate, ignoreNotFound, ignoreNotFoundOrConflict } from './ignore.ts';

describe.each([
  { ignore: ignoreNotFound, ignored: ['NotFound'] },
  { ignore: ignoreAlreadyExists, ignored: ['AlreadyExists'] },
  { ignore: ignoreConcurrentCreate, ignored: ['AlreadyExists'] },
  { ignore: ignoreNotFoundOrConflict, ignored: ['NotFound', 'Conflict'] },
])('the verb that ignores $ignored', ({ ignore, ignored }) => {
  it.each<StatusReason>(['NotFound', 'AlreadyExists', 'Conflict', 'Forbidden'])('meets %s', async (reason) => {
    const error = new ApiError(reason, 'refused');
    const call = Promise.reject(error).catch(ignore);
    if (ignored.includes(reason)) expect(await call).toBeUndefined();
    else await expect(call).rejects.toBe(error);
  });

  it('throws on what no server said', () => {
    expect(() => ignore(new Error('no connection'))).toThrow('no connection');
  });
});
