import { type Path, parsePath } from './values.ts';

/** What is wrong with an object, and where, if anybody knows. */
export interface Problem {
  readonly message: string;
  readonly path?: Path;
  /** Which document of a text with several. */
  readonly document?: number;
}

/** What a Status says of one field. */
export interface Cause {
  readonly message?: string;
  readonly field?: string;
}

/**
 * The problems in a refusal. Validation names fields as causes; strict decoding names unknown and repeated ones only in
 * its message, several separated by commas.
 */
export function problemsIn(message: string, causes: readonly Cause[] = []): Problem[] {
  if (causes.length > 0) return causes.map((cause) => problemOf(cause, message));
  const strict = [...message.matchAll(/(unknown field|duplicate field) "((?:[^"\\]|\\.)+)"/g)];
  if (strict.length > 0) return strict.map(([text, , field = '']) => ({ message: text, path: parsePath(field) }));
  return [{ message }];
}

function problemOf({ message, field }: Cause, whole: string): Problem {
  const text = message || whole;
  // `<nil>` and nothing stand for the object as a whole.
  return field && /^[A-Za-z]/.test(field) ? { message: text, path: parsePath(field) } : { message: text };
}

/** Whether a problem is about a field at one of these paths, or in what is below it. */
export const isAt = ({ path }: Problem, paths: readonly Path[]): boolean =>
  path !== undefined && paths.some((at) => at.every((step, index) => String(step) === String(path[index])));
