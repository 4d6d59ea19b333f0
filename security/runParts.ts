import { Random } from '../faults/random.ts';
import { type Ground, openGround } from './ground.ts';
import { type Part, Trial, type TrialOptions } from './part.ts';

/** What one part has looked at and found. */
export interface PartReport {
  readonly name: string;
  readonly checks: number;
  readonly seconds: number;
  readonly findings: readonly string[];
  /** What could not be looked at. */
  readonly notes: readonly string[];
}

export interface RunOptions extends Omit<TrialOptions, 'random'> {
  readonly seed: number;
}

/** Runs parts one after the other on one Vireo. */
export async function runParts(parts: readonly Part[], options: RunOptions): Promise<PartReport[]> {
  const { say } = options;
  say('Starting a Vireo to attack …');
  await using ground = await openGround();
  using _ = endingWith(ground);
  const reports: PartReport[] = [];
  for (const part of parts) {
    say(`${part.name}: ${part.about}`);
    const startedAt = performance.now();
    // Each has numbers of its own, so that a part alone does what it does among others.
    const trial = new Trial(part.name, { ...options, random: new Random(options.seed) });
    try {
      await part.run(ground, trial);
    } catch (error) {
      trial.check(`the part failed: ${(error as Error).stack}`);
      trial.check(await ground.problem());
    }
    const { checks, findings, notes } = trial;
    const seconds = (performance.now() - startedAt) / 1000;
    reports.push({ name: part.name, checks, seconds, notes, findings: findings.map(({ text }) => text) });
  }
  return reports;
}

/** Whoever is told to stop takes his Vireo, its libvirtd and its guests with him. */
function endingWith(ground: Ground): Disposable {
  const end = (): void => {
    Promise.resolve(ground[Symbol.asyncDispose]()).finally(() => process.exit(1));
  };
  for (const signal of SIGNALS) process.once(signal, end);
  return {
    [Symbol.dispose]: () => {
      for (const signal of SIGNALS) process.off(signal, end);
    },
  };
}

const SIGNALS = ['SIGINT', 'SIGTERM'] as const;

/** A table for people, and what was found in full. */
export function formatReport(reports: readonly PartReport[]): string {
  const rows = reports.map(({ name, checks, findings, seconds }) =>
    [
      name.padEnd(13),
      String(checks).padStart(8),
      String(findings.length).padStart(9),
      seconds.toFixed(1).padStart(8),
    ].join(' '),
  );
  const found = reports.flatMap(({ name, findings }) => findings.map((text) => `FINDING ${name}: ${text}`));
  const notes = reports.flatMap(({ name, notes: texts }) => texts.map((text) => `not checked, ${name}: ${text}`));
  return [
    '',
    'part            checks  findings  seconds',
    ...rows,
    '',
    ...notes,
    ...found,
    found.length === 0 ? 'no findings' : '',
  ].join('\n');
}
