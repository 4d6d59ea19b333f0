import { existsSync, mkdirSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { Failure } from './failure.mjs';
import { withLock } from './lock.mjs';
import { cacheDirectory } from './paths.mjs';
import { privateApt } from './privateApt.mjs';
import { capture } from './spawn.mjs';

/** The first Debian whose kubectl is new enough. Its kubernetes-client package only points to the kubectl package. */
const release = 'trixie';
const packageName = 'kubectl';

const debianKeyring = '/usr/share/keyrings/debian-archive-keyring.gpg';
const directory = join(cacheDirectory, 'kubectl');
const program = join(directory, 'usr/bin/kubectl');

const byHand =
  'Install kubectl 1.27 or newer manually (https://kubernetes.io/docs/tasks/tools/) on the PATH, or set VIREO_TEST_KUBECTL=/path/to/kubectl.';

/**
 * Fetches kubectl from a newer Debian through the mirror that this machine is configured for, into the project's cache.
 *
 * @param {import('./steps.mjs').Steps} steps
 * @param {(program: string) => Promise<boolean>} works
 * @returns {Promise<string>} its path
 */
export async function fetchKubectlPackage(steps, works) {
  if (await works(program)) return program;
  return withLock(
    join(cacheDirectory, 'kubectl.lock'),
    (owner) => steps.say(`Waiting for process ${owner}, which is downloading kubectl …`),
    async () => {
      if (await works(program)) return program;
      await steps.step(`Downloading kubectl from Debian ${release}`, fetchPackage);
      if (await works(program)) return program;
      throw new Failure(`the kubectl of Debian ${release} does not run on this host`, { hint: byHand });
    },
  );
}

async function fetchPackage() {
  const problems = [];
  const scratch = join(cacheDirectory, 'apt');
  for (const source of await debianSources()) {
    try {
      rmSync(scratch, { recursive: true, force: true });
      const apt = privateApt(scratch, source);
      await apt.update();
      const unpacked = join(scratch, 'unpacked');
      mkdirSync(unpacked, { recursive: true });
      await apt.unpack(packageName, unpacked);
      rmSync(directory, { recursive: true, force: true });
      renameSync(unpacked, directory);
      return;
    } catch (error) {
      problems.push(`${source}\n${error.message}`);
    } finally {
      rmSync(scratch, { recursive: true, force: true });
    }
  }
  throw new Failure(`kubectl could not be fetched from Debian ${release}:\n${problems.join('\n')}`, { hint: byHand });
}

/** The lines of sources.list to try, best first. */
async function debianSources() {
  const system = readOsRelease();
  if (system.ID !== 'debian') {
    throw new Failure(
      `no kubectl of version 1.27 or newer was found, and ${system.PRETTY_NAME ?? 'this system'} has no package of it`,
      { hint: byHand },
    );
  }
  const format = '$(REPO_URI) $(RELEASE) $(COMPONENT)';
  const targets = await capture('apt-get', ['indextargets', '--no-release-info', '--format', format]);
  return sourcesForRelease(targets.stdout, system.VERSION_CODENAME, existsSync(debianKeyring) ? debianKeyring : '');
}

/**
 * Derives sources for the wanted release from those the machine has for its own. The distribution's own archive is
 * told from other vendors' by its `-updates` suite at the same address, which they do not have.
 *
 * @param {string} targets lines of address, suite and component
 * @param {string} codename the machine's own release
 * @param {string} keyring who must have signed the archive; empty for apt's default
 */
export function sourcesForRelease(targets, codename, keyring) {
  const lines = targets.split('\n').map((line) => line.split(' '));
  const has = (address, suite) => lines.some(([a, s, c]) => a === address && s === suite && c === 'main');
  const addresses = [...new Set(lines.map(([address]) => address))].filter((address) => has(address, codename));
  addresses.sort((a, b) => Number(has(b, `${codename}-updates`)) - Number(has(a, `${codename}-updates`)));
  const options = keyring ? `[signed-by=${keyring}] ` : '';
  return addresses.map((address) => `deb ${options}${address} ${release} main`);
}

function readOsRelease() {
  if (!existsSync('/etc/os-release')) return {};
  const pairs = readFileSync('/etc/os-release', 'utf8').matchAll(/^([A-Z_]+)="?([^"\n]*)"?$/gm);
  return Object.fromEntries([...pairs].map(([, name, value]) => [name, value]));
}
