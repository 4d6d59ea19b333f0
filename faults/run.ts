import { parseArgs } from 'node:util';
import { runTool } from '../bench/tool.ts';
import { ACTIONS, HABITS } from './actions.ts';
import { makeHome } from './ground.ts';
import { FAULTS, STUB_FAULTS } from './injections.ts';
import type { PlanOptions } from './plan.ts';
import { type Report, storm } from './storm.ts';
import { summary, totals } from './summary.ts';
import { type Ground, TestBed } from './testBed.ts';

const HELP = `Usage: npm run faults -- [--seed N] [--rounds R] [--minutes M] [--on real|stub] [--only FAULT]... [--do ACTION]...

Users create, start, stop, restart and delete VMs, put discs into drives and take them out, take snapshots and
restore them, and scale a set, while things go wrong around them. After each round everything must come to rest as the API
says: nothing acknowledged lost, API and libvirt agreed, no guest twice, nothing left over, every failure explained,
every watch complete. Ends with 1 and the seed at the first problem.

Options:
  --seed N      what happens; the same number, the same storm. Default: another each time
  --rounds R    on each ground; default 8
  --minutes M   no round begins after so many minutes; default 10
  --on GROUND   real: guests of QEMU; stub: simulated VMs. Default: one after the other
  --only FAULT  this one alone; can be given more than once: ${Object.keys(FAULTS).join(', ')}
  --do ACTION   users do nothing else; can be given more than once: ${Object.keys(ACTIONS).join(', ')}
  --help        print this
`;

/** Who takes longer to come to rest says what for. */
const LONG_MS = 5000;

interface Options {
  readonly seed: number;
  readonly rounds: number;
  readonly minutes: number;
  readonly grounds: readonly Ground[];
  readonly only: readonly string[];
  readonly actions: readonly string[];
}

process.exitCode = await runTool(process.argv.slice(2), { help: HELP, parse, run });

async function run(options: Options): Promise<number> {
  const stopping = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => stopping.abort());
  console.log(`seed ${options.seed}`);
  const startedAt = Date.now();
  for (const [index, ground] of options.grounds.entries()) {
    // Each ground has its share of the time, and what the one before it has left over.
    const share = (index + 1) / options.grounds.length;
    const deadlineMs = startedAt + share * options.minutes * 60_000;
    const problems = await on(ground, options, deadlineMs, stopping.signal).catch((error: unknown) => {
      if (stopping.signal.aborted) return undefined;
      throw error;
    });
    if (!problems) {
      console.log('interrupted');
      return 130;
    }
    if (problems.length === 0) continue;
    for (const problem of problems) console.log(`PROBLEM ${problem}`);
    const chosen = [
      ...options.only.map((each) => ` --only ${each}`),
      ...options.actions.map((each) => ` --do ${each}`),
    ];
    console.log(`To see it again: npm run faults -- --seed ${options.seed} --on ${ground}${chosen.join('')}`);
    return 1;
  }
  console.log('nothing was lost, doubled or left behind');
  return 0;
}

async function on(ground: Ground, { seed, rounds, only, actions }: Options, deadlineMs: number, signal: AbortSignal) {
  await using home = await makeHome();
  const testBed = new TestBed(home.path, ground);
  const possible = (ground === 'stub' ? STUB_FAULTS : Object.keys(FAULTS)).filter(
    (fault) => home.canFill || fault !== 'fillDisk',
  );
  if (!home.canFill) console.log('The disk is not filled: this user cannot mount a file system to fill.');
  const reports: Report[] = [];
  const plan: PlanOptions = {
    seed,
    vms: 5,
    stepsEach: 40,
    faultsEach: 4,
    lengthMs: 10_000,
    actions: actions.length > 0 ? actions : HABITS,
    faults: possible.filter((fault) => only.length === 0 || only.includes(fault)),
  };
  const onReport = (report: Report): void => {
    reports.push(report);
    show(report);
  };
  console.log(`\non ${ground} VMs\nround  acknowledged  refused  unknown  at rest  faults`);
  try {
    await testBed.open();
    const problems = await storm(testBed, { plan, rounds, deadlineMs, onReport }, signal);
    console.log(`\n${summary(reports)}`);
    if (problems.length > 0) console.log(`The server said last:\n${testBed.output().slice(-4000)}`);
    return problems;
  } finally {
    await testBed.close();
  }
}

function show(report: Report): void {
  const { round, restMs, problems, journal, waitedFor } = report;
  const outcomes = totals(report);
  const cells = [
    String(round.number).padStart(5),
    String(outcomes.acknowledged).padStart(12),
    String(outcomes.refused).padStart(7),
    String(outcomes.unknown).padStart(7),
    `${(restMs / 1000).toFixed(1)} s`.padStart(7),
    round.injections.map(({ fault }) => fault).join(', '),
  ];
  console.log(cells.join('  '));
  if (restMs > LONG_MS) for (const each of waitedFor) console.log(`       waited for: ${each}`);
  if (problems.length > 0) console.log(['What was asked for:', ...journal].join('\n  '));
}

/** What is asked for; undefined: help; a text: what is wrong with it. */
function parse(args: string[]): Options | string | undefined {
  try {
    const { values } = parseArgs({
      args,
      options: {
        seed: { type: 'string' },
        rounds: { type: 'string', default: '8' },
        minutes: { type: 'string', default: '10' },
        on: { type: 'string' },
        only: { type: 'string', multiple: true, default: [] },
        do: { type: 'string', multiple: true, default: [] },
        help: { type: 'boolean', short: 'h', default: false },
      },
    });
    if (values.help) return undefined;
    const seed = values.seed === undefined ? Math.floor(Math.random() * 1e6) : Number(values.seed);
    const [rounds, minutes] = [Number(values.rounds), Number(values.minutes)];
    if (!Number.isSafeInteger(seed)) return `--seed ${values.seed} is not a whole number`;
    if (!(rounds > 0) || !(minutes > 0)) return '--rounds and --minutes are numbers above 0';
    if (values.on !== undefined && values.on !== 'real' && values.on !== 'stub') return '--on is real or stub';
    const unknown = values.only.find((fault) => !(fault in FAULTS));
    if (unknown !== undefined) return `there is no fault ${unknown}`;
    const unheard = values.do.find((action) => !(action in ACTIONS));
    if (unheard !== undefined) return `there is no action ${unheard}`;
    return {
      seed,
      rounds,
      minutes,
      only: values.only,
      actions: values.do,
      grounds: values.on ? [values.on] : ['real', 'stub'],
    };
  } catch (error) {
    return (error as Error).message;
  }
}
