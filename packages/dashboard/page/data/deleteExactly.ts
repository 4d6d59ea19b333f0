import type { Api } from './api.ts';
import { Refused } from './refused.ts';

/** The server's words for an object that has the name, but is not the one that was meant. */
const IS_ANOTHER = /UID in precondition/;

interface Options {
  readonly signal?: AbortSignal;
  readonly propagationPolicy?: 'Background' | 'Orphan';
}

/**
 * Deletes the object that the user has seen, however late that is done: another one that has got its name meanwhile is
 * refused with 409. Without a uid, whichever has the name is meant.
 */
export async function deleteExactly(
  api: Pick<Api, 'request'>,
  path: string,
  uid: string | undefined,
  { signal, propagationPolicy }: Options = {},
): Promise<void> {
  const options = {
    apiVersion: 'v1',
    kind: 'DeleteOptions',
    ...(propagationPolicy && { propagationPolicy }),
    ...(uid !== undefined && { preconditions: { uid } }),
  };
  try {
    await api.request('DELETE', path, options, signal);
  } catch (error) {
    if (!(error instanceof Refused) || error.code !== 409 || !IS_ANOTHER.test(error.message)) throw error;
    const text = 'It was deleted meanwhile, and another object has its name now, which was not deleted.';
    throw new Refused(error.code, text, error.causes);
  }
}
