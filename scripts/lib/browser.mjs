import { setup } from '../setup.mjs';
import { ensureDebianPackages } from './debianPackages.mjs';
import { runLauncher } from './failure.mjs';
import { createSteps } from './steps.mjs';
import { ensureTestTools, runVitest } from './verify.mjs';

const HELP = `Usage: npm run browser -- [FILE…] [OPTION…]

Installs Debian's Chromium, and opens the dashboard in it (e2e/dashboard and its benchmark, or these files of
them). Without files, a part of it is repeated with Vireo's extension behind webhooks and APIServices.
\`npm test\` leaves all of this out. Options go to Vitest.
`;

/** What is repeated with the extension in a process of its own: all that it has a part in. */
const BOTH_WAYS = ['guest', 'fleet', 'create', 'rights'].map((name) => `e2e/dashboard/${name}.test.ts`);

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
    const isPart = args.some((word) => /^(e2e|bench)\//.test(word));
    const variables = { VIREO_TEST_BROWSER: '1' };
    const code = await runVitest(tools, [...(isPart ? [] : ['e2e/dashboard', 'bench/dashboard']), ...args], variables);
    if (isPart || process.env.VIREO_TEST_EXTENSION === 'remote') return code;
    steps.say('The same with the extension behind webhooks and APIServices …');
    // The pictures are those of the first pass.
    const remote = { ...variables, VIREO_TEST_EXTENSION: 'remote', VIREO_TEST_SCREENSHOTS: '' };
    return (await runVitest(tools, [...BOTH_WAYS, ...args], remote)) || code;
  });
}
