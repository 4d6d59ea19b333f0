import { join } from 'node:path';
import { setup } from '../setup.mjs';
import { runLauncher } from './failure.mjs';
import { environment, node } from './nodeBinary.mjs';
import { root } from './paths.mjs';
import { runInForeground } from './spawn.mjs';
import { createSteps } from './steps.mjs';

/**
 * Runs a benchmark; `bench/run.ts` knows which there are.
 *
 * @param {readonly string[]} args
 */
export function bench(args) {
  return runLauncher(async () => {
    await setup(createSteps(process.stderr));
    return runInForeground(node, [join(root, 'bench/run.ts'), ...args], { cwd: root, env: environment() });
  });
}
