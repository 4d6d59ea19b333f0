import { parseArgs } from 'node:util';
import type { Tool } from '../../bench/tool.ts';
import { makeHome } from '../ground.ts';
import { MIGRATION_FAULTS } from './faults.ts';
import { planRounds } from './plan.ts';
import { migrationFaults } from './run.ts';

const HELP = `Usage: npm run faults -- migration [--seed N] [--rounds R] [--minutes M] [--only FAULT]...

Starts a Vireo with three nodes on this host, as root, and a guest that counts on its disk. In each round the guest
migrates, and at some moment of the way something happens. At every look the guest executes at most once. At the end of
each round it runs where its VMI says, its disk is as it has written it, the migration says how it ended, and nothing is
left on the other node. At the first problem, prints the seed and exits with 1.

Options:
  --seed N      seed of the faults and their moments; the same seed repeats them (default: random)
  --rounds R    number of rounds (default: 40)
  --minutes M   start no new round after this many minutes (default: 10)
  --only FAULT  only this fault; can be repeated: ${Object.keys(MIGRATION_FAULTS).join(', ')}
  --help        print help
`;

interface Options {
  readonly seed: number;
  readonly rounds: number;
  readonly minutes: number;
  readonly only: readonly string[];
}

/** `npm run faults -- migration`: guests that move while something happens. */
export const MIGRATION_LANE: Tool<Options> = {
  help: HELP,
  parse(args) {
    try {
      const { values } = parseArgs({
        args,
        options: {
          seed: { type: 'string' },
          rounds: { type: 'string', default: '40' },
          minutes: { type: 'string', default: '10' },
          only: { type: 'string', multiple: true, default: [] },
          help: { type: 'boolean', short: 'h', default: false },
        },
      });
      if (values.help) return undefined;
      const seed = values.seed === undefined ? Math.floor(Math.random() * 1e6) : Number(values.seed);
      const [rounds, minutes] = [Number(values.rounds), Number(values.minutes)];
      if (!Number.isSafeInteger(seed)) return `--seed ${values.seed} is not a whole number`;
      if (!(rounds > 0) || !(minutes > 0)) return '--rounds and --minutes are numbers above 0';
      const unknown = values.only.find((fault) => !(fault in MIGRATION_FAULTS));
      if (unknown !== undefined) return `unknown fault: ${unknown}`;
      if (process.getuid?.() !== 0) return 'networks of their own for nodes need root';
      return { seed, rounds, minutes, only: values.only };
    } catch (error) {
      return (error as Error).message;
    }
  },
  async run({ seed, rounds, minutes, only }) {
    console.log(`seed ${seed}`);
    const stopping = new AbortController();
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => stopping.abort());
    await using home = await makeHome();
    const plan = planRounds(seed, rounds, only.length > 0 ? only : Object.keys(MIGRATION_FAULTS));
    const deadlineMs = Date.now() + minutes * 60_000;
    const options = { home: home.path, rounds: plan, deadlineMs, signal: stopping.signal };
    const { rounds: played, problems } = await migrationFaults(options);
    if (stopping.signal.aborted) {
      console.log('interrupted');
      return 130;
    }
    for (const problem of problems) console.log(`PROBLEM ${problem}`);
    if (problems.length === 0) {
      console.log(`no problems in ${played} rounds: no guest ran twice, and no disk was harmed`);
      return 0;
    }
    const chosen = only.map((each) => ` --only ${each}`).join('');
    console.log(`To repeat this run: npm run faults -- migration --seed ${seed}${chosen}`);
    return 1;
  },
};
