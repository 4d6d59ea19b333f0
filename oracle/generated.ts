import { Random } from '../faults/random.ts';
import type { Area, Case } from './case.ts';
import type { Differ } from './differ.ts';
import { compileCase, evaluationCase, randomExpressions, refusedIndexes } from './generators/celCase.ts';
import { randomApplyCase, randomCrdCase, randomObjectCase } from './generators/sequence.ts';
import { CASES_AT_ONCE, inParallel } from './pool.ts';

const MAKERS: Readonly<Record<Exclude<Area, 'cel'>, (random: Random, name: string) => Case>> = {
  crd: randomCrdCase,
  objects: randomObjectCase,
  apply: randomApplyCase,
};
const PROGRESS_EVERY = 50;

/** Plays so many cases of an area; each follows from the seed and its own number alone. */
export async function playGenerated(differ: Differ, area: Area, seed: number, cases: number): Promise<void> {
  let played = 0;
  const numbers = Array.from({ length: cases }, (_, index) => index + 1);
  await inParallel(numbers, CASES_AT_ONCE, async (number) => {
    const random = new Random(seed * 1_000_003 + number);
    const name = `${area}, seed ${seed}, case ${number}`;
    if (area === 'cel') await playExpressions(differ, random, name);
    else await differ.take(MAKERS[area](random, name));
    if (++played % PROGRESS_EVERY === 0 || played === cases) {
      console.log(`${area}: ${played} of ${cases} cases, ${differ.tally.findings.size} kinds of difference so far`);
    }
  });
}

/** A CRD is refused as a whole for one expression, so only what both servers accept is evaluated. */
async function playExpressions(differ: Differ, random: Random, name: string): Promise<void> {
  const expressions = randomExpressions(random);
  const { real, ours } = await differ.take(compileCase(name, expressions));
  const refused = new Set([...refusedIndexes(real[0]?.body), ...refusedIndexes(ours[0]?.body)]);
  const accepted = expressions.filter((_, index) => !refused.has(index));
  if (accepted.length > 0) await differ.take(evaluationCase(name, accepted));
}
