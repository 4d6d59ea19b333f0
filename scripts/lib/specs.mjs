import { setup } from '../setup.mjs';
import { runLauncher } from './failure.mjs';
import { createSteps } from './steps.mjs';
import { ensureTestTools, runVitest } from './verify.mjs';

/** KubeVirt's functional specs of migrations, as tests of ours. */
const SUITES = ['e2e/migration', 'e2e/vms/migration.test.ts', 'packages/controllers/src/migration/hostModel.test.ts'];

const HELP = `Usage: npm run specs -- [OPTION…]

Runs KubeVirt's functional specs of live migration (docs/migration-specs.md), also those that take minutes and that
\`npm test\` leaves out. Options go to Vitest.

Examples:
  npm run specs
  npm run specs -- -t test_id:4747   # one of them
`;

/**
 * Runs all specs of migrations.
 *
 * @param {readonly string[]} args
 */
export function specs(args) {
  return runLauncher(async () => {
    if (args.includes('--help')) {
      console.log(HELP);
      return 0;
    }
    const steps = createSteps(process.stdout);
    await setup(steps);
    const tools = await ensureTestTools(steps);
    return runVitest(tools, [...SUITES, ...args], { VIREO_TEST_SPECS: 'all' });
  });
}
