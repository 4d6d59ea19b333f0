import { join } from 'node:path';
import { ensureKubectl } from '../kubectl.mjs';
import { ensureLibvirt, vmPackages } from '../libvirt.mjs';
import { setup } from '../setup.mjs';
import { ensureDebianPackages } from './debianPackages.mjs';
import { aptMirror } from './debootstrap.mjs';
import { Failure, runLauncher } from './failure.mjs';
import { labImage } from './labImage.mjs';
import { withLock } from './lock.mjs';
import { environment, node } from './nodeBinary.mjs';
import { cacheDirectory, root } from './paths.mjs';
import { runInForeground } from './spawn.mjs';
import { createSteps } from './steps.mjs';
import { testTools } from './verify.mjs';

/**
 * Builds a Debian that has what the host lacks, boots it and runs tests in it; `lab/run.ts` boots it.
 *
 * @param {readonly string[]} args
 */
export function lab(args) {
  return runLauncher(async () => {
    const steps = createSteps(process.stderr);
    await setup(steps);
    const run = (/** @type {NodeJS.ProcessEnv} */ env) =>
      runInForeground(node, [join(root, 'lab/run.ts'), ...args], { cwd: root, env: { ...environment(), ...env } });
    if (['--help', '-h'].some((flag) => args.includes(flag))) return run({});
    const mirror = await usableMirror();
    await ensureLibvirt(steps);
    await ensureDebianPackages(steps, ['debootstrap', 'e2fsprogs', 'xz-utils', 'util-linux']);
    const kubectl = await ensureKubectl(steps);
    const packages = [...vmPackages, ...testTools];
    const image = await withLock(
      join(cacheDirectory, 'lab.lock'),
      (owner) => steps.say(`Waiting for process ${owner}, which is building the lab …`),
      () => labImage(steps, { mirror, packages, isForced: args.includes('--rebuild') }),
    );
    return run({ VIREO_LAB_IMAGE: image, VIREO_KUBECTL: kubectl });
  });
}

/** Said at once, not after minutes. */
async function usableMirror() {
  if (process.arch !== 'x64') throw new Failure(`the lab is an x86-64 guest; this host is ${process.arch}`);
  if (process.getuid?.() !== 0) {
    throw new Failure('the lab is built with debootstrap and chroot, which need root', { hint: 'Run it as root.' });
  }
  const mirror = await aptMirror();
  if (mirror) return mirror;
  throw new Failure('apt of this host has no Debian mirror to build the lab from', {
    hint: 'Run it on Debian 12 or newer, with `main` of a release in /etc/apt/sources.list, after apt-get update.',
  });
}
