/** `matches`, and Kubernetes' `find` and `findAll`. */

import { BadPattern, compilePattern, type Pattern } from '../../patterns/pattern.ts';
import { declare, type Library, memberOverload } from '../declarations.ts';
import { work, workOnce } from '../meter.ts';
import { INT, listType, STRING } from '../types.ts';
import { Values } from '../values/collections.ts';
import { CelError, type Result } from '../values/values.ts';

const WORK_PER_WEIGHT = 250;
const MATCH_WORK = 40;

/** A pattern. They may come from the object, so compiling them counts; the same one is compiled once. */
export function compiled(source: string): Pattern | CelError {
  const pattern = compilePattern(source);
  if (pattern instanceof BadPattern) return new CelError(pattern.message);
  workOnce(source, pattern.weight * WORK_PER_WEIGHT);
  return pattern;
}

/** Whether the pattern occurs in the text. */
export function matchesPattern(text: string, source: string): Result {
  const pattern = compiled(source);
  if (pattern instanceof CelError) return pattern;
  work(MATCH_WORK + pattern.testWork(text));
  return pattern.test(text);
}

function findIn(text: string, source: string, limit: number): string[] | CelError {
  const pattern = compiled(source);
  if (pattern instanceof CelError) return pattern;
  work(MATCH_WORK + pattern.findWork(text));
  return pattern.find(text, limit);
}

function find(text: string, source: string): Result {
  const found = findIn(text, source, 1);
  return found instanceof CelError ? found : (found[0] ?? '');
}

function findAll(text: string, source: string, limit = -1n): Result {
  const most = limit < 0n ? Number.POSITIVE_INFINITY : Number(limit);
  const found = findIn(text, source, most);
  return found instanceof CelError ? found : new Values(found);
}

/** The first match of a pattern, and all of them. */
export const regex: Library = {
  functions: [
    declare('find', memberOverload('string_find_string', [STRING, STRING], STRING, find)),
    declare(
      'findAll',
      memberOverload('string_find_all_string', [STRING, STRING], listType(STRING), findAll),
      memberOverload('string_find_all_string_int', [STRING, STRING, INT], listType(STRING), findAll),
    ),
  ],
};
