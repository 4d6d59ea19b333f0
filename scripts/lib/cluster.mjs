import { join } from 'node:path';
import { setup } from '../setup.mjs';
import { runLauncher } from './failure.mjs';
import { kubernetesPrograms } from './kubernetesPrograms.mjs';
import { root } from './paths.mjs';
import { createSteps } from './steps.mjs';
import { ensureTestTools, runVitest } from './verify.mjs';

/**
 * Runs Vireo on a real control plane, which it builds first if the host has none; `cluster/` has the tests. Arguments go
 * to Vitest.
 *
 * @param {readonly string[]} vitestArgs
 */
export function cluster(vitestArgs) {
  return runLauncher(async () => {
    const steps = createSteps(process.stderr);
    await setup(steps);
    const tools = await ensureTestTools(steps);
    const { directory, etcd, version, origin } = await kubernetesPrograms(steps);
    steps.say(`The control plane is Kubernetes ${version}, ${origin}.`);
    return runVitest(tools, ['--config', join(root, 'cluster/vitest.config.ts'), ...vitestArgs], {
      VIREO_CLUSTER_PROGRAMS: directory,
      VIREO_CLUSTER_ETCD: etcd,
      VIREO_CLUSTER_VERSION: version,
    });
  });
}
