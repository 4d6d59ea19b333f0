import type { Kind, Schema } from '@vireo/api';
import { required } from '@vireo/api/kinds/customResource.ts';
import { componentName } from '@vireo/api/openapi.ts';
import { list, string, struct } from '@vireo/api/schema.ts';
import type { Action, SuccessResponse } from './action.ts';
import { DIALECTS } from './dialects.ts';

/** Bytes, of whatever kind. */
export const BINARY: Schema<string> = { ...string, format: 'binary' };

/** An object of a kind, under the name that its kind has in documents. */
export const objectOf = (kind: Kind): Schema => ({ ...kind.schema, name: componentName(kind) });

/** A list of objects of a kind, under the name that it has in documents. */
export const listOf = (kind: Kind): Schema =>
  struct(`${componentName(kind)}List`, `A list of ${kind.kind} objects.`, { items: required(list(objectOf(kind))) });

/** What an action answers when all is well. */
export function successOf({ response, isStream, group, method }: Action): SuccessResponse {
  if (response) return response;
  if (isStream) return { status: 101 };
  return { status: DIALECTS[group].done[method] };
}

const COMMON: Readonly<Record<number, string>> = {
  400: 'The request is malformed or can never succeed.',
  401: 'The caller is not authenticated.',
  403: 'The caller lacks permission.',
  404: 'The object does not exist.',
  409: 'The state of the object does not allow the action.',
  422: 'The body is invalid.',
  500: 'Internal error.',
};
const OTHER: Readonly<Record<number, string>> = {
  424: 'A dependency is missing.',
  501: 'Vireo does not implement this action.',
  503: 'The node does not respond.',
};

/** What an action may refuse with, by code, and what that means. */
export function refusalsOf({ refuses = [], isNotImplemented }: Action): Readonly<Record<number, string>> {
  const codes = isNotImplemented ? [...refuses, 501] : [...refuses, 503];
  return { ...COMMON, ...Object.fromEntries(codes.map((code) => [code, OTHER[code] ?? ''])) };
}

/** Whether an action has a response that is no refusal. */
export const canSucceed = ({ isNotImplemented, refuses = [] }: Action): boolean =>
  !isNotImplemented && !refuses.includes(424);
