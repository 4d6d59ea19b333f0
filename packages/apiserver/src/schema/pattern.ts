/**
 * Regular expressions of custom resources' schemas. They are written for Go, and they meet values from anybody, so
 * they are run like Go runs them: all possibilities at once, in time proportional to the text, never backtracking.
 */
import { isWordCharacter, type PatternNode, parsePattern } from './patternParser.ts';

/** A pattern of a schema, ready to test. */
export interface Pattern {
  /** Whether the pattern occurs in the text. */
  test(text: string): boolean;
}

type Instruction =
  | { readonly type: 'char'; readonly test: (code: number) => boolean; readonly next: number }
  | { readonly type: 'assert'; readonly kind: string; readonly next: number }
  | { readonly type: 'split'; readonly next: number; readonly other: number }
  | { readonly type: 'match' };

const MAX_INSTRUCTIONS = 20_000;
const MAX_CACHED = 1000;
const compiled = new Map<string, Pattern | undefined>();

/** Compiles a pattern; undefined where it is none. Each is compiled once. */
export function compilePattern(source: string): Pattern | undefined {
  if (!compiled.has(source)) {
    if (compiled.size >= MAX_CACHED) compiled.clear();
    compiled.set(source, tryCompile(source));
  }
  return compiled.get(source);
}

function tryCompile(source: string): Pattern | undefined {
  try {
    const program: Instruction[] = [{ type: 'match' }];
    const start = emit(program, parsePattern(source), 0);
    return { test: (text) => run(program, start, text) };
  } catch {
    return undefined;
  }
}

/** Adds the instructions of a node, which go on at `next`; returns where they start. */
function emit(program: Instruction[], node: PatternNode, next: number): number {
  if (program.length > MAX_INSTRUCTIONS) throw new Error('expression too large');
  switch (node.type) {
    case 'char':
      return program.push({ type: 'char', test: node.test, next }) - 1;
    case 'assert':
      return program.push({ type: 'assert', kind: node.kind, next }) - 1;
    case 'sequence':
      return node.nodes.reduceRight((after, item) => emit(program, item, after), next);
    case 'choice':
      return node.nodes
        .map((item) => emit(program, item, next))
        .reduceRight((other, start) => program.push({ type: 'split', next: start, other }) - 1);
    case 'repeat':
      return emitRepeat(program, node, next);
  }
}

function emitRepeat(program: Instruction[], node: PatternNode & { type: 'repeat' }, next: number): number {
  const { node: inner, min, max } = node;
  let after = next;
  if (max === Number.POSITIVE_INFINITY) {
    after = program.push({ type: 'match' }) - 1;
    program[after] = { type: 'split', next: emit(program, inner, after), other: next };
  } else {
    for (let i = min; i < max; i++) {
      after = program.push({ type: 'split', next: emit(program, inner, after), other: next }) - 1;
    }
  }
  for (let i = 0; i < min; i++) after = emit(program, inner, after);
  return after;
}

/** Walks the text once, holding every place in the program that could have been reached. */
function run(program: readonly Instruction[], start: number, text: string): boolean {
  const codes = Array.from(text, (character) => character.codePointAt(0)!);
  let current: number[] = [];
  for (let at = 0; at <= codes.length; at++) {
    const seen = new Set<number>();
    const reached: number[] = [];
    for (const instruction of [...current, start]) {
      if (follow(program, instruction, codes, at, seen, reached)) return true;
    }
    const code = codes[at];
    if (code === undefined) return false;
    current = reached.flatMap((index) => {
      const instruction = program[index]!;
      return instruction.type === 'char' && instruction.test(code) ? [instruction.next] : [];
    });
  }
  return false;
}

/** Goes on without taking a character. Whether the end of the program was reached. */
function follow(
  program: readonly Instruction[],
  start: number,
  codes: readonly number[],
  at: number,
  seen: Set<number>,
  reached: number[],
): boolean {
  const pending = [start];
  for (let index = pending.pop(); index !== undefined; index = pending.pop()) {
    if (seen.has(index)) continue;
    seen.add(index);
    const instruction = program[index]!;
    if (instruction.type === 'match') return true;
    if (instruction.type === 'char') reached.push(index);
    else if (instruction.type === 'split') pending.push(instruction.other, instruction.next);
    else if (holds(instruction.kind, codes, at)) pending.push(instruction.next);
  }
  return false;
}

function holds(kind: string, codes: readonly number[], at: number): boolean {
  const isWord = (index: number) => codes[index] !== undefined && isWordCharacter(codes[index]!);
  switch (kind) {
    case 'start':
      return at === 0;
    case 'end':
      return at === codes.length;
    case 'lineStart':
      return at === 0 || codes[at - 1] === 10;
    case 'lineEnd':
      return at === codes.length || codes[at] === 10;
    default:
      return (isWord(at - 1) !== isWord(at)) === (kind === 'word');
  }
}
