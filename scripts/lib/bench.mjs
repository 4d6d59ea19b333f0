import { join } from 'node:path';
import { ensureLibvirt } from '../libvirt.mjs';
import { setup } from '../setup.mjs';
import { ensureDebianPackages } from './debianPackages.mjs';
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
    const steps = createSteps(process.stderr);
    await setup(steps);
    if (needsVms(args)) {
      await ensureLibvirt(steps);
      // virsh is what VMs and discs are compared with.
      await ensureDebianPackages(steps, ['libvirt-clients']);
    }
    return runInForeground(node, [join(root, 'bench/run.ts'), ...args], { cwd: root, env: environment() });
  });
}

/** Whether real guests are part of what is measured: of these, and of all together. */
const needsVms = ([name = '', ...more]) =>
  !['--help', '-h'].some((flag) => [name, ...more].includes(flag)) &&
  (name === '' || name.startsWith('-') || ['vm', 'cdrom', 'storage'].includes(name));
