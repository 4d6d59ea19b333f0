import type { Result } from '../report.ts';
import { median, resultsOf, rounds } from '../rounds.ts';
import { type Batch, runBatch } from './batch.ts';
import type { Bench } from './bench.ts';
import type { Contestant } from './guest.ts';

interface Figures extends Readonly<Record<string, number>> {
  /** Medians, in milliseconds. */
  readonly running: number;
  readonly firstByte: number;
  readonly perMinute: number;
}

const NAMES = ['raw', 'virsh', 'vm', 'vmi'] as const;
type Name = (typeof NAMES)[number];

/** From the request to a guest that runs and to its first byte, one at a time and several at once. */
export async function starts({ plan, contestants, onProgress }: Bench): Promise<Result[]> {
  onProgress('starts: warming up');
  for (const name of NAMES) await measure(contestants[name], { atOnce: 2, vms: 2 });
  let round = 0;
  const each = plan.batches.flatMap((batch, index) =>
    NAMES.map((name) => {
      const run = (): Promise<Figures> => {
        if (name === NAMES[0]) onProgress(`starts: round ${index === 0 ? ++round : round}, ${batch.atOnce} at once`);
        return measure(contestants[name], batch);
      };
      return [key(name, batch), run] as const;
    }),
  );
  const budgetMs = plan.budgetSeconds * 1000;
  const measured = await rounds(plan.rounds, Object.fromEntries(each), { warmUp: false, budgetMs });
  return resultsOf(measured, (figures) =>
    plan.batches.flatMap((batch) => rows((name) => figures[key(name, batch)]!, batch.atOnce)),
  );
}

const key = (name: Name, { atOnce }: Batch): string => `${name} ${atOnce}`;

async function measure(contestant: Contestant, batch: Batch): Promise<Figures> {
  try {
    const { guests, seconds } = await runBatch(contestant, batch);
    return {
      running: median(guests.map(({ runningMs }) => runningMs)),
      firstByte: median(guests.map(({ firstByteMs }) => firstByteMs)),
      perMinute: (guests.length / seconds) * 60,
    };
  } finally {
    await contestant.clear();
  }
}

function rows(of: (name: Name) => Figures, atOnce: number): Result[] {
  const [raw, virsh, vm, vmi] = NAMES.map(of) as [Figures, Figures, Figures, Figures];
  const row = (what: string, against: string, value: number, baseline: number): Result => ({
    metric: `${what}, ${atOnce} at a time, vs ${against}`,
    value,
    unit: 'ms',
    baseline,
    better: 'less',
  });
  const rate = (what: string, value: number): Result => ({
    metric: `${what} per minute, ${atOnce} at a time, vs virsh create`,
    value,
    unit: 'per minute',
    baseline: virsh.perMinute,
    better: 'more',
  });
  const alone = atOnce === 1 ? ({ aim: { of: 'ratio', bound: 1.2 } } as const) : {};
  const crowd = atOnce === 8 ? ({ aim: { of: 'ratio', bound: 1 } } as const) : {};
  return [
    row('virsh create to first byte', 'raw QEMU', virsh.firstByte, raw.firstByte),
    { ...row('VM to Running', 'virsh create', vm.running, virsh.running), ...alone },
    { ...row('VMI to Running', 'virsh create', vmi.running, virsh.running), ...alone },
    row('VM to first byte', 'virsh create', vm.firstByte, virsh.firstByte),
    row('VMI to first byte', 'virsh create', vmi.firstByte, virsh.firstByte),
    row('VM to first byte', 'raw QEMU', vm.firstByte, raw.firstByte),
    { ...rate('VMs', vm.perMinute), ...crowd },
    { ...rate('VMIs', vmi.perMinute), ...crowd },
  ];
}
