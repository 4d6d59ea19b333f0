import { isReason, type StatusReason } from '@vireo/api';
import { isConcurrentChange } from './concurrentChange.ts';

const ignore =
  (...reasons: StatusReason[]) =>
  (error: unknown): undefined => {
    if (!isReason(error, ...reasons)) throw error;
    return undefined;
  };

/**
 * Nothing, where the object is not there; any other error is thrown on.
 *
 * @example
 * await client.of(Pod).delete('web', { namespace }).catch(ignoreNotFound);
 */
export const ignoreNotFound = ignore('NotFound');

/** For creations: somebody else's will do. */
export const ignoreAlreadyExists = ignore('AlreadyExists');

/** For writes to what was read: the object has changed, or gone, or its name belongs to another by now. */
export const ignoreNotFoundOrConflict = ignore('NotFound', 'Conflict');

/** For what is created in every namespace: another writer was first, or the namespace is going or gone. */
export function ignoreConcurrentCreate(error: unknown): undefined {
  if (!isConcurrentChange(error) || isReason(error, 'Conflict')) throw error;
  return undefined;
}
