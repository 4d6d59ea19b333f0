import { setup } from '../setup.mjs';
import { ensureDebianPackages } from './debianPackages.mjs';
import { runLauncher } from './failure.mjs';
import { createSteps } from './steps.mjs';
import { ensureTestTools, runVitest } from './verify.mjs';

const HELP = `Usage: npm run browser -- [FILE…] [OPTION…]

Installs Debian's Chromium, and opens the dashboard in it (e2e/dashboard and its benchmark, or these files of
them). \`npm test\` leaves this out. Options go to Vitest.
`;

/**
 * Runs the tests that need a browser.
 *
 * @param {readonly string[]} args
 */
export function browser(args) {
  return runLauncher(async () => {
    if (args.includes('--help')) {
      console.log(HELP);
      return 0;
    }
    const steps = createSteps(process.stdout);
    await setup(steps);
    const tools = await ensureTestTools(steps);
    await ensureDebianPackages(steps, ['chromium']);
    const files = args.some((word) => /^(e2e|bench)\//.test(word)) ? [] : ['e2e/dashboard', 'bench/dashboard'];
    return runVitest(tools, [...files, ...args], { VIREO_TEST_BROWSER: '1' });
  });
}
