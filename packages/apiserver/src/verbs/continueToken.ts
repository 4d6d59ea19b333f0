import { badRequest } from '@vireo/api';

/** Where the next page of a list begins. */
export interface ContinueToken {
  /** The moment that the list shows; undefined: whatever is the newest when the page is read. */
  readonly revision: number | undefined;
  /** Below the prefix of the list: the key of the last object shown. */
  readonly after: string;
}

export const writeContinue = ({ revision = -1, after }: ContinueToken): string =>
  Buffer.from(JSON.stringify({ v: 1, rv: revision, after })).toString('base64url');

export function readContinue(token: string): ContinueToken {
  try {
    const { v, rv, after } = JSON.parse(Buffer.from(token, 'base64url').toString()) as Record<string, unknown>;
    if (v === 1 && Number.isSafeInteger(rv) && (rv as number) >= -1 && typeof after === 'string')
      return { revision: rv === -1 ? undefined : (rv as number), after };
  } catch {
    // Falls through to the refusal: whatever is wrong with it, it is not a token of ours.
  }
  throw badRequest('continue key is not valid: this server did not issue it');
}
