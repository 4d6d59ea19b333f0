import { join } from 'node:path';
import { ensureLibvirt } from '../libvirt.mjs';
import { setup } from '../setup.mjs';
import { runLauncher } from './failure.mjs';
import { environment, node as nodeOfClone } from './nodeBinary.mjs';
import { packagedNode } from './packagedNode.mjs';
import { cacheDirectory, entry, isPackaged } from './paths.mjs';
import { runInForeground } from './spawn.mjs';
import { createSteps } from './steps.mjs';

/**
 * Becomes the `vireo` command, after setting up what it needs. Where this Node can replace itself (24 can), no launcher
 * stays behind; otherwise it waits, hands signals on and ends as the command ends.
 *
 * @param {readonly string[]} args
 * @param {NodeJS.WriteStream} stream where steps are shown: not the standard output of commands that programs read
 */
export function vireo(args, stream) {
  return runLauncher(async () => {
    const steps = createSteps(stream);
    const node = await ensureNode(steps, servesPage(args));
    if (needsLibvirt(args)) await ensureLibvirt(steps);
    const argv = [entry, ...args];
    // Stripped and compiled once: the second start takes half the time and a quarter less memory.
    const env = { NODE_COMPILE_CACHE: join(cacheDirectory, 'compile'), ...environment(process.env, node) };
    if (typeof process.execve === 'function') process.execve(node, [node, ...argv], env);
    return runInForeground(node, argv, { env, tellWhenParentDies: true });
  });
}

async function ensureNode(/** @type {import('./steps.mjs').Steps} */ steps, /** @type {boolean} */ withPage) {
  if (isPackaged) return packagedNode(steps);
  await setup(steps, { withPage });
  return nodeOfClone;
}

/** Whether a command serves the dashboard. The others start without a look at its sources. */
export const servesPage = (/** @type {readonly string[]} */ args) =>
  args.some((word) => word === 'up' || word === 'dashboard') && !args.includes('--help');

/** Whether a command runs VMs. Who only asks for help gets it at once. */
export const needsLibvirt = (/** @type {readonly string[]} */ args) =>
  args[0] === 'up' && !['--api-only', '--help', '-h'].some((flag) => args.includes(flag));
