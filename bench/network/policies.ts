import { NetworkPolicy } from '@vireo/api';
import type { Result } from '../report.ts';
import { resultsOf, rounds } from '../rounds.ts';
import { NAMESPACE } from '../vms/objects.ts';
import type { Bench } from './bench.ts';
import { FIRST, type Guests } from './guests.ts';

const NAME = 'deny';
/** Nobody listens there: the guest itself refuses, so that an attempt costs it next to nothing. */
const PORT = 9;

/** From the creation of a NetworkPolicy to the first connection that gets no answer, and from its deletion to the next that does. */
export async function policies({ plan, outside, vireo, onProgress }: Bench, { routed }: Guests): Promise<Result[]> {
  onProgress('policies: denying and permitting');
  const target = { host: routed[0].address, port: PORT };
  const api = vireo.client.of(NetworkPolicy);
  const policy = {
    metadata: { name: NAME, namespace: NAMESPACE },
    spec: { podSelector: { matchLabels: { app: FIRST } }, policyTypes: ['Ingress'] },
  };
  const measure = async () => {
    await outside.call('untilAnswered', target);
    const silent = outside.call('untilSilent', target);
    const createdAt = Date.now();
    await api.create(policy);
    const denyMs = (await silent) - createdAt;
    const answered = outside.call('untilAnswered', target);
    const deletedAt = Date.now();
    await api.delete(NAME, { namespace: NAMESPACE });
    return { denyMs, permitMs: (await answered) - deletedAt };
  };
  const measured = await rounds(plan.policyRounds, { policy: measure }, { warmUp: false });
  return resultsOf(measured, ({ policy: { denyMs, permitMs } }) => {
    const row = (metric: string, value: number): Result => ({
      metric,
      value,
      baseline: null,
      unit: 'ms',
      better: 'less',
      aim: { of: 'value', bound: 2_000 },
    });
    return [
      row('NetworkPolicy created to first connection without an answer', denyMs),
      row('NetworkPolicy deleted to next answered connection', permitMs),
    ];
  });
}
