/**
 * Regular expressions of users: patterns of schemas and of CEL expressions. They are written for Go, and they meet
 * values from anybody, so they are run by a port of Go's engine, which never backtracks. What that leaves to hostile
 * patterns is bounded: how large they are before they are compiled, and how much work a text may take.
 */
import { RE2JS, RE2JSException } from 're2js';
import { isTame } from './tame.ts';
import { patternWeight } from './weight.ts';

/** A pattern, ready to use. */
export interface Pattern {
  /** How long compiling it took, in units of about five microseconds. */
  readonly weight: number;
  /** Whether the pattern occurs in the text. */
  test(text: string): boolean;
  /** The parts of the text that match, from left to right; at most `limit` of them. */
  find(text: string, limit: number): string[];
  /** What `test` may take, in units of about ten nanoseconds. It depends on the pattern and the text alone. */
  testWork(text: string): number;
  /** The same for `find`. */
  findWork(text: string): number;
}

/** A pattern of which Go would say what is wrong with it. */
export class BadPattern {
  readonly message: string;

  constructor(message: string) {
    this.message = message;
  }
}

/** Compiling takes about 50 ms at most. */
export const MAX_WEIGHT = 10_000;
const MAX_LENGTH = 10_000;
const MAX_CACHED = 500;

/** What a character costs an automaton that has been built, and one instruction of one that must be simulated. */
const WORK_PER_CHARACTER = 2;
const WORK_PER_STEP = 5;

const compiled = new Map<string, Pattern | BadPattern>();

/** Compiles a pattern, once. */
export function compilePattern(source: string): Pattern | BadPattern {
  let pattern = compiled.get(source);
  if (!pattern) {
    pattern = tryCompile(source);
    if (compiled.size >= MAX_CACHED) compiled.clear();
    compiled.set(source, pattern);
  }
  return pattern;
}

function tryCompile(source: string): Pattern | BadPattern {
  const weight = source.length > MAX_LENGTH ? Number.POSITIVE_INFINITY : patternWeight(source);
  if (weight > MAX_WEIGHT) return new BadPattern('error parsing regexp: expression too large');
  try {
    return fromRe2(RE2JS.compile(source), weight);
  } catch (error) {
    if (error instanceof RE2JSException) return new BadPattern(error.message);
    throw error;
  }
}

function fromRe2(re2: RE2JS, weight: number): Pattern {
  const stepsPerCharacter = re2.programSize() * WORK_PER_STEP;
  let workPerCharacter: number | undefined;
  return {
    weight,
    test: (text) => re2.test(text),
    find: (text, limit) => findAll(re2, text, limit),
    testWork: ({ length }) => {
      workPerCharacter ??= isTame(re2) ? WORK_PER_CHARACTER : stepsPerCharacter;
      return (length + 1) * workPerCharacter;
    },
    findWork: ({ length }) => (length + 1) * stepsPerCharacter,
  };
}

function findAll(re2: RE2JS, text: string, limit: number): string[] {
  const found: string[] = [];
  // Telling that there is none is much faster than looking for it.
  if (!re2.test(text)) return found;
  const matcher = re2.matcher(text);
  while (found.length < limit && matcher.find()) found.push(matcher.group() ?? '');
  return found;
}
