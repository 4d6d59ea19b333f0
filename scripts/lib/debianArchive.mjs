import { existsSync, mkdirSync, renameSync, rmSync } from 'node:fs';
import { basename, join } from 'node:path';
import { Failure } from './failure.mjs';
import { withLock } from './lock.mjs';
import { readOsRelease } from './osRelease.mjs';
import { cacheDirectory } from './paths.mjs';
import { privateApt, systemApt } from './privateApt.mjs';
import { capture } from './spawn.mjs';

const debianKeyring = '/usr/share/keyrings/debian-archive-keyring.gpg';

/**
 * Unpacks packages of a Debian release into a directory of the project's cache, from the mirror that this Debian machine
 * is configured for. The system stays as it is.
 *
 * @param {import('./steps.mjs').Steps} steps
 * @param {object} wanted
 * @param {string} wanted.title what they are together
 * @param {string} wanted.release
 * @param {readonly string[]} wanted.packages
 * @param {string} wanted.directory
 * @param {() => Promise<boolean>} wanted.works whether what is there will do
 * @param {string} wanted.hint what to do where they cannot be had
 */
export async function fetchPackages(steps, { title, release, packages, directory, works, hint }) {
  if (await works()) return;
  await withLock(
    join(cacheDirectory, `${basename(directory)}.lock`),
    (owner) => steps.say(`Waiting for process ${owner}, which is downloading ${title} …`),
    async () => {
      if (await works()) return;
      await steps.step(`Downloading ${title} from Debian ${release}`, () =>
        fetch(title, release, packages, directory, hint),
      );
      if (await works()) return;
      throw new Failure(`${title} of Debian ${release} does not run on this host`, { hint });
    },
  );
}

async function fetch(title, release, packages, directory, hint) {
  const problems = [];
  const scratch = join(cacheDirectory, `${basename(directory)}.apt`);
  for (const { name, apt } of await archives(release, scratch)) {
    try {
      rmSync(scratch, { recursive: true, force: true });
      const unpacked = join(scratch, 'unpacked');
      mkdirSync(unpacked, { recursive: true });
      await apt().unpack(packages, unpacked);
      rmSync(directory, { recursive: true, force: true });
      renameSync(unpacked, directory);
      return;
    } catch (error) {
      problems.push(`${name}\n${error.message}`);
    } finally {
      rmSync(scratch, { recursive: true, force: true });
    }
  }
  throw new Failure(`${title} could not be fetched from Debian ${release}:\n${problems.join('\n')}`, { hint });
}

/** Where to look, best first: the machine's own lists have the machine's own release, without being fetched anew. */
async function archives(release, scratch) {
  const own = { name: "this machine's package lists", apt: () => systemApt(scratch) };
  const sources = await debianSources(release);
  return [
    ...(release === readOsRelease().VERSION_CODENAME ? [own] : []),
    ...sources.map((source) => ({ name: source, apt: () => privateApt(scratch, source) })),
  ];
}

/**
 * The lines of sources.list to try for a release of Debian, best first, from the mirrors of this machine.
 *
 * @param {string} release
 */
export async function debianSources(release) {
  const { VERSION_CODENAME: codename = '' } = readOsRelease();
  const format = '$(REPO_URI) $(RELEASE) $(COMPONENT)';
  const targets = await capture('apt-get', ['indextargets', '--no-release-info', '--format', format]);
  const keyring = existsSync(debianKeyring) ? debianKeyring : '';
  return sourcesForRelease(targets.stdout, codename, keyring, release);
}

/**
 * Derives sources for the wanted release from those the machine has for its own. The distribution's own archive is
 * told from other vendors' by its `-updates` suite at the same address, which they do not have.
 *
 * @param {string} targets lines of address, suite and component
 * @param {string} codename the machine's own release
 * @param {string} keyring who must have signed the archive; empty for apt's default
 * @param {string} release
 */
export function sourcesForRelease(targets, codename, keyring, release) {
  const lines = targets.split('\n').map((line) => line.split(' '));
  const has = (address, suite) => lines.some(([a, s, c]) => a === address && s === suite && c === 'main');
  const addresses = [...new Set(lines.map(([address]) => address))].filter((address) => has(address, codename));
  addresses.sort((a, b) => Number(has(b, `${codename}-updates`)) - Number(has(a, `${codename}-updates`)));
  const options = keyring ? `[signed-by=${keyring}] ` : '';
  return addresses.map((address) => `deb ${options}${address} ${release} main`);
}
