import type { Answer, Case } from './case.ts';
import { compareAnswers, type Difference, type Finding } from './compare.ts';
import { KNOWN_DIFFERENCES, type KnownDifference } from './knownDifferences.ts';
import { normalise } from './normalise.ts';
import { play } from './play.ts';
import type { PlayedServer } from './servers/server.ts';
import { shrink } from './shrink.ts';

/** What a run has seen so far. */
export interface Tally {
  cases: number;
  requests: number;
  /** How often each known difference was met. */
  readonly known: Map<KnownDifference, number>;
  /** One of each kind of difference that is not known, made as small as it gets; and how often it was met. */
  readonly findings: Map<string, { finding: Finding; count: number }>;
}

export const emptyTally = (): Tally => ({ cases: 0, requests: 0, known: new Map(), findings: new Map() });

/** Plays cases on both servers and keeps what differs. */
export class Differ {
  readonly tally = emptyTally();
  readonly #real: PlayedServer;
  readonly #ours: PlayedServer;
  readonly #onFinding: (finding: Finding) => void;
  #groups = 0;

  /** @param onFinding told of each difference of a new kind, when it is as small as it gets */
  constructor(real: PlayedServer, ours: PlayedServer, onFinding: (finding: Finding) => void) {
    this.#real = real;
    this.#ours = ours;
    this.#onFinding = onFinding;
  }

  /** Plays a case; a difference that is new is made small. Returns the real server's answers and ours. */
  async take(played: Case): Promise<Played> {
    const { tally } = this;
    const result = await this.play(played);
    tally.cases++;
    tally.requests += played.steps.length;
    for (const known of result.known) tally.known.set(known, (tally.known.get(known) ?? 0) + 1);
    for (const [signature, differences] of Map.groupBy(result.differences, signatureOf)) {
      const seen = tally.findings.get(signature);
      if (seen) {
        seen.count++;
        continue;
      }
      // Known from now on to the cases that are played meanwhile.
      const entry = { finding: { case: played, differences } as Finding, count: 1 };
      tally.findings.set(signature, entry);
      entry.finding = await this.#smallest(played, differences, signature);
      this.#onFinding(entry.finding);
    }
    return result;
  }

  /** Plays a case on both servers at once, in a group that no other case has. */
  async play(played: Case): Promise<Played> {
    const group = `case${++this.#groups}.example.com`;
    const [real, ours] = await Promise.all(
      [this.#real, this.#ours].map(async (server) => normalise(await play(server, played, group), group)),
    );
    return { real: real!, ours: ours!, ...explained(played, real!, ours!) };
  }

  async #smallest(played: Case, differences: readonly Difference[], signature: string): Promise<Finding> {
    let latest = differences;
    const smallest = await shrink(played, differences[0]!.step, async (smaller) => {
      const found = (await this.play(smaller)).differences.filter((each) => signatureOf(each) === signature);
      if (found.length > 0) latest = found;
      return found[0]?.step;
    });
    return { case: smallest, differences: latest };
  }
}

/** What differs without an explanation, up to the step after which the two servers no longer have the same object. */
function explained(
  played: Case,
  real: readonly Answer[],
  ours: readonly Answer[],
): Pick<Played, 'differences' | 'known'> {
  const known = new Set<KnownDifference>();
  const differences: Difference[] = [];
  for (const [index, found] of Map.groupBy(compareAnswers(real, ours), ({ step }) => step)) {
    const step = played.steps[index]!;
    const explanations = found.map((difference) => KNOWN_DIFFERENCES.find(({ matches }) => matches(difference, step)));
    for (const explanation of explanations) if (explanation) known.add(explanation);
    const areOthers = explanations.some((explanation) => explanation?.diverges);
    let hasDiverged = areOthers || found.some(({ at }) => at === 'answer');
    // What leaves another object with one server may be a write for it alone.
    const unexplained = found.filter(
      ({ at }, place) => !explanations[place] && !(areOthers && at === 'body/metadata/resourceVersion'),
    );
    differences.push(...unexplained);
    const isRefused = [real, ours].every((answers) => (answers[index]?.code ?? 0) >= 400);
    // A definition that both accept is the same kind to both, whatever they say about it.
    const isAboutObject = !step.path.includes('/customresourcedefinitions');
    if (unexplained.length > 0 && isAboutObject) hasDiverged = true;
    if (hasDiverged && !isRefused && !step.query?.dryRun) break;
  }
  return { differences, known };
}

interface Played {
  readonly real: ReturnType<typeof normalise>;
  readonly ours: ReturnType<typeof normalise>;
  readonly differences: readonly Difference[];
  readonly known: ReadonlySet<KnownDifference>;
}

/** Differences of one kind: the same place, and texts that are the same but for names and numbers. */
export function signatureOf({ at, real, ours }: Difference): string {
  const place = at.replaceAll(/\/\d+/g, '/n').replaceAll(/([fkv]:)[^/]*/g, '$1…');
  return [place, outline(real), outline(ours)].join('\n');
}

function outline(value: unknown): string {
  if (Array.isArray(value)) return outline(value[0]);
  if (typeof value !== 'string') return value === undefined ? 'nothing' : typeof value;
  return value.replaceAll(/"[^"]*"|'[^']*'|[\w.-]*\.[\w.-]*|\[[^\]]*\]|\d+/g, '…').slice(0, 160);
}
