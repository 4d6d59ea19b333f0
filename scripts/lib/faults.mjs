import { join } from 'node:path';
import { ensureLibvirt } from '../libvirt.mjs';
import { setup } from '../setup.mjs';
import { runLauncher } from './failure.mjs';
import { environment, node } from './nodeBinary.mjs';
import { root } from './paths.mjs';
import { runInForeground } from './spawn.mjs';
import { createSteps } from './steps.mjs';
import { ensureTestTools, runVitest } from './verify.mjs';

/**
 * Lets users and faults loose on a Vireo of its own and looks whether it keeps its promises; `faults/run.ts` does the work.
 * With `--nodes`, hosts of a cluster fall silent (`faults/silence/`), and further arguments go to Vitest.
 *
 * @param {readonly string[]} args
 */
export function faults(args) {
  return runLauncher(async () => {
    const steps = createSteps(process.stderr);
    await setup(steps);
    if (args.includes('--nodes')) {
      const tools = await ensureTestTools(steps);
      const others = args.filter((arg) => arg !== '--nodes');
      return runVitest(tools, ['--config', join(root, 'faults/vitest.config.ts'), ...others]);
    }
    await ensureLibvirt(steps);
    return runInForeground(node, [join(root, 'faults/run.ts'), ...args], { cwd: root, env: environment() });
  });
}
