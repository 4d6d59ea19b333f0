import { parseArgs } from 'node:util';
import type { Tool } from '../../bench/tool.ts';
import { makeHome } from '../ground.ts';
import { nodeFaults } from './run.ts';
import { SCENARIOS } from './scenarios.ts';

const HELP = `Usage: npm run faults -- nodes [--away SECONDS] [--only TEXT]...

Starts a Vireo with three nodes on this host, as root, and has things happen to one of them:
${SCENARIOS.map(({ name }) => `  - ${name}`).join('\n')}

No VM may ever have two guests. Guests whose VMs are not to move must not notice anything. At the end of each, every VM
runs once.

Options:
  --away SECONDS  how long the API server is away (default: 600)
  --only TEXT     only what has this text in its name; can be repeated
  --help          print help
`;

interface Options {
  readonly awaySeconds: number;
  readonly only: readonly string[];
}

/** `npm run faults -- nodes`: nodes that are unreachable, lost and back. */
export const NODE_FAULTS: Tool<Options> = {
  help: HELP,
  parse(args) {
    try {
      const { values } = parseArgs({
        args,
        options: {
          away: { type: 'string', default: '600' },
          only: { type: 'string', multiple: true, default: [] },
          help: { type: 'boolean', short: 'h', default: false },
        },
      });
      if (values.help) return undefined;
      const awaySeconds = Number(values.away);
      if (!(awaySeconds > 0)) return '--away is a number of seconds above 0';
      if (process.getuid?.() !== 0) return 'networks of their own for nodes need root';
      return { awaySeconds, only: values.only };
    } catch (error) {
      return (error as Error).message;
    }
  },
  async run(options) {
    await using home = await makeHome();
    const problems = await nodeFaults({ home: home.path, ...options });
    for (const problem of problems) console.log(`PROBLEM ${problem}`);
    if (problems.length === 0) console.log('no problems: no VM had two guests, and every VM runs once');
    return problems.length === 0 ? 0 : 1;
  },
};
