import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ensureLibvirt } from '../libvirt.mjs';
import { setup } from '../setup.mjs';
import { Failure, runLauncher } from './failure.mjs';
import { hostTable, kvmReport } from './kvmReport.mjs';
import { environment, node } from './nodeBinary.mjs';
import { root } from './paths.mjs';
import { capture } from './spawn.mjs';
import { createSteps } from './steps.mjs';
import { ensureTestTools, runVitest } from './verify.mjs';

/** The tests that start guests. */
const SUITES = [
  'e2e/vms',
  'e2e/storage',
  'packages/node/src/guestImage/guest.test.ts',
  ...['attachments', 'bridges', 'firmware', 'limits', 'memoryDump', 'running', 'survival', 'vms'].map(
    (name) => `packages/node/src/${name}.test.ts`,
  ),
];

const HELP = `Usage: npm run kvm -- [--probe] [PATH…]

Checks that KVM runs a guest on this host, runs the tests that start guests with KVM, and prints a report to paste into
an issue. Exits with 1 if KVM cannot be used or a test fails.

  --probe  only check for KVM, and print what the report would say of this host
  PATH     run these tests only; default: ${SUITES.join(' ')}
`;

/**
 * Runs the tests of guests with KVM and reports.
 *
 * @param {readonly string[]} args
 */
export function kvm(args) {
  return runLauncher(async () => {
    if (args.includes('--help')) {
      console.log(HELP);
      return 0;
    }
    const steps = createSteps(process.stderr);
    await setup(steps);
    await ensureLibvirt(steps);
    const facts = await steps.step('Booting a guest with KVM', readFacts);
    if (!facts.kvm.isUsable) {
      throw new Failure(`KVM cannot be used on this host: ${facts.kvm.reason}`, {
        hint: `\n${hostTable(facts)}\n\nNothing was run. \`npm test\` emulates its guests and needs no KVM.`,
      });
    }
    if (args.includes('--probe')) {
      console.log(hostTable(facts));
      return 0;
    }
    const tools = await ensureTestTools(steps);
    return runSuites(facts, tools, args.length > 0 ? args : SUITES);
  });
}

async function readFacts() {
  const { code, stdout, output } = await capture(node, [join(root, 'e2e/kvm/facts.ts')], {
    cwd: root,
    env: environment(),
  });
  if (code !== 0) throw new Failure(`the host cannot be looked at\n\n${output.trim()}`);
  return JSON.parse(stdout);
}

async function runSuites(facts, tools, suites) {
  const directory = await mkdtemp(join(tmpdir(), 'vireo-kvm-'));
  const file = join(directory, 'results.json');
  try {
    const startedAt = performance.now();
    const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${file}`];
    const code = await runVitest(tools, [...suites, ...reporters], { VIREO_TEST_KVM: 'required' });
    const results = JSON.parse(await readFile(file, 'utf8'));
    console.log(`\n${kvmReport(facts, results, root, performance.now() - startedAt)}\n`);
    console.error('Paste the report above into an issue, whether tests failed or not.');
    return code;
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}
