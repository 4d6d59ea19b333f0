import type { Kind, Schema } from '@vireo/api';
import { componentName } from '@vireo/api/openapi.ts';
import { string } from '@vireo/api/schema.ts';
import type { Action, Answer } from './action.ts';
import { DIALECTS } from './dialects.ts';

/** Bytes, of whatever kind. */
export const BINARY: Schema<string> = { ...string, format: 'binary' };

/** An object of a kind, under the name that its kind has in documents. */
export const objectOf = (kind: Kind): Schema => ({ ...kind.schema, name: componentName(kind) });

/** What an action answers when all is well. */
export function answerOf({ answer, isStream, group, method }: Action): Answer {
  if (answer) return answer;
  if (isStream) return { status: 101 };
  return { status: DIALECTS[group].done[method] };
}

const COMMON: Readonly<Record<number, string>> = {
  400: 'The request cannot be read, or asks for what is not possible at all.',
  401: 'Nobody knows who asks.',
  403: 'The right to call it is missing.',
  404: 'There is no such object.',
  409: 'The object is not in a state for it.',
  422: 'The body does not fit.',
  500: 'Something went wrong in the server.',
};
const OTHER: Readonly<Record<number, string>> = {
  424: 'What it would take is not there.',
  501: 'Known by name only: Vireo does not do it.',
  503: 'The node that has to do it does not answer.',
};

/** What an action may refuse with, by code, and what that means. */
export function refusalsOf({ refuses = [], isNotImplemented }: Action): Readonly<Record<number, string>> {
  const codes = isNotImplemented ? [...refuses, 501] : [...refuses, 503];
  return { ...COMMON, ...Object.fromEntries(codes.map((code) => [code, OTHER[code] ?? ''])) };
}

/** Whether an action has an answer that is no refusal. */
export const canSucceed = ({ isNotImplemented, refuses = [] }: Action): boolean =>
  !isNotImplemented && !refuses.includes(424);
