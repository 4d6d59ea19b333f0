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
 * Attacks a Vireo of its own and says what was found; `security/run.ts` does the work.
 *
 * @param {readonly string[]} args
 */
export function security(args) {
  return runLauncher(async () => {
    const steps = createSteps(process.stderr);
    await setup(steps);
    await ensureLibvirt(steps);
    // xmllint has the last word on what becomes of hostile manifests, a browser on what becomes of hostile texts.
    const isBrowserNeeded = !args.some((arg) => arg.startsWith('--only')) || /\bdashboard\b/.test(args.join(' '));
    await ensureDebianPackages(steps, ['libxml2-utils', ...(isBrowserNeeded ? ['chromium'] : [])]);
    return runInForeground(node, [join(root, 'security/run.ts'), ...args], { cwd: root, env: environment() });
  });
}
