import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { setup } from '../setup.mjs';
import { Failure, runLauncher } from './failure.mjs';
import { node } from './nodeBinary.mjs';
import { root } from './paths.mjs';
import { capture } from './spawn.mjs';
import { createSteps } from './steps.mjs';

/**
 * What `npm pack` runs before and after it takes the files that package.json lists: makes `dist/` from the sources, and
 * with `--clean` removes it.
 *
 * @param {readonly string[]} args
 */
export function pack(args) {
  return runLauncher(async () => {
    const directory = join(root, 'dist');
    rmSync(directory, { recursive: true, force: true });
    if (args.includes('--clean')) return 0;
    const steps = createSteps(process.stderr);
    await setup(steps);
    // Only the Node of the project strips types for sure.
    await steps.step('Stripping types', async () => {
      const { code, output } = await capture(node, ['--no-warnings', join(root, 'scripts/lib/dist.mjs'), directory]);
      if (code !== 0) throw new Failure(`cannot create dist/\n\n${output.trim()}\n`);
    });
    return 0;
  });
}
