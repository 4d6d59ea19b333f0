import type { Result } from '../report.ts';
import { resultsOf, rounds } from '../rounds.ts';
import type { Plan } from './plan.ts';
import { createTestBed, type TestBed } from './testBed.ts';

export const MEASUREMENTS = ['graphs'] as const;

/**
 * What a graph costs the server: asked from within its process, so that neither TLS nor HTTP is measured. Authorization,
 * the way through the aggregated API, the reading of every object and the answer are.
 */
export async function objectgraph(plan: Plan, onProgress: (text: string) => void): Promise<Result[]> {
  const { questions, others, dependencies } = plan;
  const [few, many] = dependencies;
  onProgress(`making ${others[0]} and ${others[1].toLocaleString('en-US')} VMs`);
  await using quiet = await createTestBed(others[0], dependencies);
  await using crowded = await createTestBed(others[1], dependencies);
  onProgress('asking for graphs');
  const ask = (testBed: TestBed, count: number) => async () => ({ ms: await testBed.ask(count, questions) });
  const measured = await rounds(plan.rounds, {
    quiet: ask(quiet, few),
    crowded: ask(crowded, few),
    large: ask(quiet, many),
  });
  const metric = (count: number, vms: number): string =>
    `graph of ${count} dependencies, ${vms.toLocaleString('en-US')} other VMs`;
  const result = (name: string, value: number, baseline: number | null): Result => ({
    metric: name,
    value,
    unit: 'ms',
    baseline,
    better: 'less',
  });
  return resultsOf(measured, ({ quiet, crowded, large }) => [
    { ...result(metric(few, others[0]), quiet.ms, null), aim: { of: 'value', bound: 2 } },
    {
      ...result(`${metric(few, others[1])}, vs ${others[0]}`, crowded.ms, quiet.ms),
      aim: { of: 'ratio', bound: 1.2 },
    },
    {
      ...result(`${metric(many, others[0])}, vs ${few}`, large.ms, quiet.ms),
      aim: { of: 'ratio', bound: many / few },
    },
  ]);
}
