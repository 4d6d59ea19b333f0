import { join } from 'node:path';
import { ensureLibvirt } from '../libvirt.mjs';
import { setup } from '../setup.mjs';
import { runLauncher } from './failure.mjs';
import { environment, node } from './nodeBinary.mjs';
import { root } from './paths.mjs';
import { runInForeground } from './spawn.mjs';
import { createSteps } from './steps.mjs';

/**
 * Lets users and faults loose on a Vireo of its own and looks whether it keeps its promises; `faults/run.ts` does the work.
 *
 * @param {readonly string[]} args
 */
export function faults(args) {
  return runLauncher(async () => {
    const steps = createSteps(process.stderr);
    await setup(steps);
    await ensureLibvirt(steps);
    return runInForeground(node, [join(root, 'faults/run.ts'), ...args], { cwd: root, env: environment() });
  });
}
