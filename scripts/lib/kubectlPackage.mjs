import { join } from 'node:path';
import { fetchPackages } from './debianArchive.mjs';
import { Failure } from './failure.mjs';
import { readOsRelease } from './osRelease.mjs';
import { cacheDirectory } from './paths.mjs';

/** The first Debian whose kubectl is new enough. Its kubernetes-client package only points to the kubectl package. */
const release = 'trixie';

const directory = join(cacheDirectory, 'kubectl');
const program = join(directory, 'usr/bin/kubectl');

const hint =
  'Install kubectl 1.27 or newer manually (https://kubernetes.io/docs/tasks/tools/) on the PATH, or set VIREO_TEST_KUBECTL=/path/to/kubectl.';

/**
 * Fetches kubectl from a newer Debian through the mirror that this machine is configured for, into the project's cache.
 *
 * @param {import('./steps.mjs').Steps} steps
 * @param {(program: string) => Promise<boolean>} works
 * @returns {Promise<string>} its path
 */
export async function fetchKubectlPackage(steps, works) {
  const { ID, PRETTY_NAME } = readOsRelease();
  if (ID !== 'debian' && !(await works(program))) {
    throw new Failure(
      `no kubectl of version 1.27 or newer was found, and ${PRETTY_NAME ?? 'this system'} has no package of it`,
      { hint },
    );
  }
  const wanted = { title: 'kubectl', release, packages: ['kubectl'], directory, hint };
  await fetchPackages(steps, { ...wanted, works: () => works(program) });
  return program;
}
