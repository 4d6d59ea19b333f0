import { parseArgs } from 'node:util';
import { runTool } from '../bench/tool.ts';
import { ACTIONS, HABITS, NETWORK_HABITS } from './actions.ts';
import { makeHome } from './ground.ts';
import { FAULTS, STUB_FAULTS } from './injections.ts';
import { MIGRATION_LANE } from './migration/tool.ts';
import { NETWORK_FAULTS } from './network/faults.ts';
import { NODE_FAULTS } from './nodes/tool.ts';
import type { PlanOptions } from './plan.ts';
import { type Report, storm } from './storm.ts';
import { summary, totals } from './summary.ts';
import { type Ground, TestBed } from './testBed.ts';
import { UPGRADE_FAULTS } from './upgrade/tool.ts';

const HELP = `Usage: npm run faults -- [network] [--seed N] [--rounds R] [--minutes M] [--on real|stub] [--only FAULT]...
                       [--do ACTION]...

Simulated users create, start, stop, restart and delete VMs, insert and eject discs, take and restore snapshots, scale a
replica set, and make and delete Services and network policies, while faults are injected. After each round, the system
must settle: nothing that was acknowledged is lost, the API, libvirt and the network in the kernel agree, no VM has two
guests, nothing is left behind, every failure has a reason, and every watch is complete. At the first problem, prints the
seed and exits with 1.

npm run faults -- network injects only faults of the network of QEMU guests and SIGKILL of Vireo; as root.

npm run faults -- nodes injects faults into several nodes instead, npm run faults -- migration into guests that move
between nodes, and npm run faults -- upgrade replaces the roles of an older version; see their --help.

Options:
  --seed N      seed of the actions and faults; the same seed repeats them (default: random)
  --rounds R    number of rounds with real and with simulated VMs (default: 8)
  --minutes M   start no new round after this many minutes (default: 10)
  --on VMS      real: QEMU guests; stub: simulated VMs (default: both, one after the other)
  --only FAULT  inject only this fault; can be repeated: ${Object.keys(FAULTS).join(', ')}
  --do ACTION   perform only this action; can be repeated: ${Object.keys(ACTIONS).join(', ')}
  --help        print help
`;

/** The faults of a run, and what users do in it, unless they are chosen one by one. */
const LANES = {
  all: { faults: Object.keys(FAULTS), habits: HABITS, lengthMs: 10_000 },
  // Many of its faults end with a start of our process: users should find it up now and then.
  network: { faults: [...Object.keys(NETWORK_FAULTS), 'killServer'], habits: NETWORK_HABITS, lengthMs: 20_000 },
} as const;

/** Who takes longer to come to rest says what for. */
const LONG_MS = 5000;

interface Options {
  /** What the storm is about. */
  readonly lane: 'all' | 'network';
  readonly seed: number;
  readonly rounds: number;
  readonly minutes: number;
  readonly grounds: readonly Ground[];
  readonly only: readonly string[];
  readonly actions: readonly string[];
}

const [first, ...others] = process.argv.slice(2);
if (first === 'nodes') process.exitCode = await runTool(others, NODE_FAULTS);
else if (first === 'network') process.exitCode = await runTool(others, { help: HELP, parse: parseNetwork, run });
else if (first === 'migration') process.exitCode = await runTool(others, MIGRATION_LANE);
else if (first === 'upgrade') process.exitCode = await runTool(others, UPGRADE_FAULTS);
else process.exitCode = await runTool(process.argv.slice(2), { help: HELP, parse, run });

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
    const lane = options.lane === 'network' ? 'network ' : '';
    console.log(`To repeat this run: npm run faults -- ${lane}--seed ${options.seed} --on ${ground}${chosen.join('')}`);
    return 1;
  }
  console.log('no problems: nothing was lost or left behind, and no VM had two guests');
  return 0;
}

async function on(ground: Ground, options: Options, deadlineMs: number, signal: AbortSignal) {
  const { seed, rounds, only, actions } = options;
  const { faults, habits, lengthMs } = LANES[options.lane];
  const isRoot = process.getuid?.() === 0;
  await using home = await makeHome();
  const testBed = new TestBed(home.path, ground);
  const possible = (ground === 'stub' ? STUB_FAULTS : Object.keys(FAULTS)).filter(
    (fault) => (home.canFill || fault !== 'fillDisk') && (isRoot || !(fault in NETWORK_FAULTS)),
  );
  if (!isRoot) console.log('Faults of the network are left out: guests have addresses of their own only as root.');
  if (!home.canFill) console.log('The fault fillDisk is left out: this user cannot mount a file system to fill.');
  const reports: Report[] = [];
  const plan: PlanOptions = {
    seed,
    vms: 5,
    stepsEach: 40,
    faultsEach: 4,
    lengthMs,
    actions: actions.length > 0 ? actions : habits,
    faults: possible.filter((fault) => (only.length === 0 ? faults : only).includes(fault)),
  };
  const onReport = (report: Report): void => {
    reports.push(report);
    show(report);
  };
  console.log(`\non ${ground} VMs\nround  acknowledged  rejected  unknown  settled  faults`);
  try {
    await testBed.open();
    const problems = await storm(testBed, { plan, rounds, deadlineMs, onReport }, signal);
    console.log(`\n${summary(reports)}`);
    if (problems.length > 0) console.log(`The last output of the server:\n${testBed.output().slice(-4000)}`);
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
    String(outcomes.refused).padStart(8),
    String(outcomes.unknown).padStart(7),
    `${(restMs / 1000).toFixed(1)} s`.padStart(7),
    round.injections.map(({ fault }) => fault).join(', '),
  ];
  console.log(cells.join('  '));
  if (restMs > LONG_MS) for (const each of waitedFor) console.log(`       waited for: ${each}`);
  if (problems.length > 0) console.log(['Actions of this round:', ...journal].join('\n  '));
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
    if (unknown !== undefined) return `unknown fault: ${unknown}`;
    const unheard = values.do.find((action) => !(action in ACTIONS));
    if (unheard !== undefined) return `unknown action: ${unheard}`;
    return {
      lane: 'all',
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

/** The same for the network alone, which only real guests have. */
function parseNetwork(args: string[]): Options | string | undefined {
  const options = parse(args);
  if (typeof options !== 'object') return options;
  if (process.getuid?.() !== 0) return 'guests have addresses of their own only as root';
  if (options.grounds.length === 1 && options.grounds[0] === 'stub') return 'simulated VMs have no network';
  return { ...options, lane: 'network', grounds: ['real'] };
}
