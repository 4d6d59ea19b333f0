import { parseArgs } from 'node:util';
import type { Tool } from '../../bench/tool.ts';
import { makeHome } from '../ground.ts';
import { checkOut } from './checkout.ts';
import { upgradeRoles } from './run.ts';

/** The first commit that has all roles, and guests that outlive each of them. */
const OLDEST = '5c179042';

const HELP = `Usage: npm run faults -- upgrade [--from REF]

Starts two controllers, two extensions and three nodes of an older commit on this host, with a VM on each node, and
replaces them one after the other by those of this checkout, in the order of docs/cluster.md. Meanwhile a client
changes VMs, asks an aggregated API and lists VMIs.

Every request must be answered, if need be after it was sent again. Every guest must stay the same process, and its VMI
Running. Afterwards, VMs restart, stop, start and are deleted.

Options:
  --from REF  the older commit, tag or branch (default: ${OLDEST})
  --help      print help
`;

/** `npm run faults -- upgrade`: roles of an older version are replaced while guests run. */
export const UPGRADE_FAULTS: Tool<{ readonly from: string }> = {
  help: HELP,
  parse(args) {
    try {
      const { values } = parseArgs({
        args,
        options: {
          from: { type: 'string', default: OLDEST },
          help: { type: 'boolean', short: 'h', default: false },
        },
      });
      return values.help ? undefined : { from: values.from };
    } catch (error) {
      return (error as Error).message;
    }
  },
  async run({ from }) {
    const older = await checkOut(from);
    console.log(`from ${older.commit}`);
    await using home = await makeHome();
    const problems = await upgradeRoles(home.path, older);
    for (const problem of problems) console.log(`PROBLEM ${problem}`);
    if (problems.length === 0) console.log('no problems: every guest ran all the time, and every request was answered');
    return problems.length === 0 ? 0 : 1;
  },
};
