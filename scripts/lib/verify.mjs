import { delimiter, dirname, join } from 'node:path';
import { ensureClients } from '../clients.mjs';
import { ensureKubectl } from '../kubectl.mjs';
import { ensureLibvirt } from '../libvirt.mjs';
import { setup } from '../setup.mjs';
import { ensureDebianPackages } from './debianPackages.mjs';
import { Failure, runLauncher } from './failure.mjs';
import { environment, node } from './nodeBinary.mjs';
import { cacheDirectory, root } from './paths.mjs';
import { capture, runInForeground } from './spawn.mjs';
import { createSteps, formatDuration } from './steps.mjs';

/** Lints, checks the format and the types. */
export function check() {
  return runLauncher(async () => {
    const steps = createSteps(process.stdout);
    await setup(steps);
    await checkSources(steps);
    return 0;
  });
}

/**
 * Second opinions: isoinfo on the discs that Vireo writes, xmllint on its domains, a registry to pull images from. And
 * what people have who join VMs to bridges, beside rules of iptables, log in to them, write clients in Python and follow the
 * pages of docs.
 */
export const testTools = [
  'libvirt-clients',
  'genisoimage',
  'libxml2-utils',
  'docker-registry',
  'iproute2',
  'iptables',
  'iputils-ping',
  'openssh-client',
  'slirp4netns',
  'curl',
  'unzip',
  'python3',
];

/**
 * Everything a change must pass: `check`, then all tests. Arguments go to Vitest (`npm test -- packages/api`).
 *
 * @param {readonly string[]} vitestArgs
 */
export function test(vitestArgs) {
  return runLauncher(async () => {
    const startedAt = performance.now();
    const steps = createSteps(process.stdout);
    let code = 1;
    try {
      await setup(steps);
      const tools = await ensureTestTools(steps);
      await checkSources(steps);
      steps.say('Running the tests …');
      code = await runVitest(tools, vitestArgs);
    } finally {
      steps.say(`${code === 0 ? 'Done' : 'Failed'} in ${formatDuration(performance.now() - startedAt)}`);
    }
    return code;
  });
}

/** Makes sure that everything is there that tests use, and says where. */
export async function ensureTestTools(steps) {
  const kubectl = await ensureKubectl(steps);
  await ensureLibvirt(steps);
  await ensureDebianPackages(steps, testTools);
  return { kubectl, clients: await ensureClients(steps) };
}

/**
 * Runs Vitest in the foreground and resolves with its exit code.
 *
 * @param {Awaited<ReturnType<typeof ensureTestTools>>} tools
 * @param {readonly string[]} args
 * @param {Record<string, string>} [variables] more of its environment
 */
export function runVitest({ kubectl, clients }, args, variables = {}) {
  const env = { ...toolEnvironment(), ...clients, ...variables };
  env.PATH = [dirname(node), dirname(kubectl), process.env.PATH].filter(Boolean).join(delimiter);
  env.VIREO_KUBECTL = kubectl;
  // Tests start the command hundreds of times: stripped and compiled once, each takes a third of the time.
  env.NODE_COMPILE_CACHE = join(cacheDirectory, 'compile');
  return runInForeground(node, [join(root, 'node_modules/vitest/vitest.mjs'), 'run', ...args], { cwd: root, env });
}

async function checkSources(steps) {
  const colours = wantsColours();
  const tools = [
    [
      'format and lint',
      '@biomejs/biome/bin/biome',
      'ci',
      '--error-on-warnings',
      `--colors=${colours ? 'force' : 'off'}`,
    ],
    ['types', 'typescript/bin/tsc', '--pretty', String(colours)],
    ['types of the dashboard', 'typescript/bin/tsc', '--pretty', String(colours), '--project', 'packages/dashboard'],
  ];
  await steps.step('Checking format, lint and types', () => Promise.all(tools.map(runTool)));
}

async function runTool([checked, program, ...args]) {
  const options = { cwd: root, env: toolEnvironment() };
  const { code, output } = await capture(node, [join(root, 'node_modules', program), ...args], options);
  if (code !== 0) throw new Failure(`checking ${checked} failed\n\n${output.trim()}\n`, { exitCode: code });
}

/** Colours and redrawn lines are for people at a terminal, not for logs. */
const wantsColours = () => Boolean(process.stdout.isTTY) && !process.env.CI && !process.env.NO_COLOR;

function toolEnvironment() {
  const env = environment();
  if (wantsColours()) return env;
  delete env.FORCE_COLOR;
  return { ...env, NO_COLOR: '1' };
}
