import type { RE2JS } from 're2js';

/**
 * The automaton behind a pattern, as far as it is used here. It is no part of re2js's interface; where it is not
 * found, every pattern counts as one that is not tame.
 */
interface Automaton {
  readonly numClasses: number;
  readonly classBounds: Int32Array;
  readonly prog: { readonly start: number };
  makeState(instructions: readonly number[], flags: number, ids: readonly number[]): State | null;
  step(state: State, characterClass: number, character: number, anchor: number): State | null;
}

interface State {
  readonly nfaStates: readonly number[];
}

const BEGIN_OF_TEXT = 0x05;
const END_OF_TEXT = -1;
const UNANCHORED = 0;
const MAX_STEPS = 30_000;

/**
 * Whether the automaton of a pattern is small enough to be built in full, which it then is: matching is one look-up a
 * character, whatever the text. Of others, hostile texts can make a new state at every character, at a hundred
 * nanoseconds for every instruction of the pattern.
 */
export function isTame(re2: RE2JS): boolean {
  const { dfa } = (re2 as unknown as { re2Input?: { dfa?: Automaton } }).re2Input ?? {};
  if (!dfa?.classBounds) return false;
  const first = dfa.makeState([dfa.prog.start], BEGIN_OF_TEXT, []);
  const characters = [0, ...dfa.classBounds];
  const seen = new Set(first ? [first] : []);
  let steps = 0;
  for (const state of seen) {
    steps += (characters.length + 1) * (1 + state.nfaStates.length);
    if (steps > MAX_STEPS) return false;
    for (let i = 0; i <= characters.length; i++) {
      const isEnd = i === characters.length;
      const next = dfa.step(
        state,
        isEnd ? dfa.numClasses : i,
        isEnd ? END_OF_TEXT : (characters[i] as number),
        UNANCHORED,
      );
      if (!next) return false;
      seen.add(next);
    }
  }
  return first !== null;
}
