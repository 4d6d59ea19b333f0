import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { fetchPackages } from './lib/debianArchive.mjs';
import { readOsRelease } from './lib/osRelease.mjs';
import { cacheDirectory } from './lib/paths.mjs';
import { capture } from './lib/spawn.mjs';

const hint = 'Check the network and the sources in /etc/apt, then run the command again.';

/** Before server-side validation and OpenAPI v3: it goes by OpenAPI v2 for everything. */
const oldKubectl = {
  title: 'kubectl 1.20',
  release: 'bookworm',
  packages: ['kubernetes-client'],
  directory: join(cacheDirectory, 'kubectl-1.20'),
};

const pythonPackages = ['kubernetes', 'cachetools', 'certifi', 'chardet', 'charset-normalizer', 'dateutil']
  .concat(['google-auth', 'idna', 'oauthlib', 'pyasn1', 'pyasn1-modules', 'requests', 'requests-oauthlib', 'rsa'])
  .concat(['six', 'urllib3', 'websocket', 'yaml'])
  .map((name) => `python3-${name}`);
const pythonDirectory = join(cacheDirectory, 'python-kubernetes');
const pythonPath = join(pythonDirectory, 'usr/lib/python3/dist-packages');

/**
 * Other clients that tests drive, from Debian's packages, unpacked into the project's cache: an old kubectl and the
 * Python client. Elsewhere they are left out, and the reason is said.
 *
 * @param {import('./lib/steps.mjs').Steps} steps
 * @returns {Promise<Record<string, string>>} variables for the tests
 */
export async function ensureClients(steps) {
  const { ID, PRETTY_NAME = 'this system', VERSION_CODENAME: codename = '' } = readOsRelease();
  if (ID !== 'debian')
    return {
      VIREO_NO_CLIENTS: `kubectl 1.20 and python3-kubernetes come from Debian's packages, which ${PRETTY_NAME} lacks`,
    };
  const program = join(oldKubectl.directory, 'usr/bin/kubectl');
  const runs = async () => existsSync(program) && (await capture(program, ['version', '--client'])).code === 0;
  await fetchPackages(steps, { ...oldKubectl, hint, works: runs });
  await fetchPackages(steps, {
    title: 'python3-kubernetes',
    release: codename,
    packages: pythonPackages,
    directory: pythonDirectory,
    hint,
    // To import it takes a second: whether it can be used is for the test to say.
    works: async () => existsSync(join(pythonPath, 'kubernetes')),
  });
  return { VIREO_OLD_KUBECTL: program, VIREO_PYTHONPATH: pythonPath };
}
