import type { Result } from '../report.ts';
import { resultsOf, rounds } from '../rounds.ts';
import { remove } from '../vms/lifecycle.ts';
import { type Bench, startGuest } from './bench.ts';
import { firstReply } from './ping.ts';

const NAME = 'start';
/** For a guest to boot, on a host that does a lot else. */
const BOOT_MS = 180_000;

/** From a VMI to a guest that answers ping, beside the same guest by virsh on a network of libvirt's. */
export async function starts(bench: Bench): Promise<Result[]> {
  const { plan, onProgress, vireo, follower, beside } = bench;
  let round = 0;
  const contestants = {
    vireo: async () => {
      onProgress(`starts: round ${++round}`);
      const startedAt = performance.now();
      const since = (): number => performance.now() - startedAt;
      const [ping, running] = await Promise.all([
        startGuest(bench, NAME)
          .then(({ address }) => firstReply(address, AbortSignal.timeout(BOOT_MS)))
          .then(since),
        follower.running(NAME).then(since),
      ]);
      await remove(vireo.client, follower, 'vmi', NAME);
      return { ping, running };
    },
    virsh: async () => {
      const { guest, start } = await beside.prepare();
      const startedAt = performance.now();
      const since = (): number => performance.now() - startedAt;
      const [ping, running] = await Promise.all([
        firstReply(guest.address ?? '', AbortSignal.timeout(BOOT_MS)).then(since),
        start().then(since),
      ]);
      await beside.clear();
      return { ping, running };
    },
  };
  const budgetMs = plan.budgetSeconds * 1000;
  const measured = await rounds(plan.startRounds, contestants, { warmUp: false, budgetMs });
  return resultsOf(measured, ({ vireo: ours, virsh }) => {
    const row = (what: string, value: number, baseline: number): Result => ({
      metric: `${what}, vs virsh create and libvirt network`,
      value,
      baseline,
      unit: 'ms',
      better: 'less',
    });
    return [
      row('VMI to Running', ours.running, virsh.running),
      { ...row('VMI to first ping reply', ours.ping, virsh.ping), aim: { of: 'ratio', bound: 1.2 } },
      row('Running to first ping reply', ours.ping - ours.running, virsh.ping - virsh.running),
    ];
  });
}
