import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { debianSources } from './debianArchive.mjs';
import { Failure } from './failure.mjs';
import { readOsRelease } from './osRelease.mjs';
import { privateApt } from './privateApt.mjs';
import { capture } from './spawn.mjs';

/** Only here Debian has the sources of a new Kubernetes: testing and stable ship nothing but kubectl. */
const release = 'sid';
const library = 'golang-k8s-apiextensions-apiserver-dev';
const wanted = [library, 'golang-go', 'etcd-server'];

/** Sources and the compiler. What else they depend on (a C library, systemd) is the host's or is not needed. */
const isNeeded = (/** @type {string} */ name) => name.startsWith('golang-') || name === 'etcd-server';

/**
 * Fetches the packages that the oracle is built from into `directory/packages`, unless they are there, and unpacks them
 * to `directory/root`. Sid moves on, so what was fetched once is kept.
 *
 * @param {import('./steps.mjs').Steps} steps
 * @param {string} directory
 * @returns {Promise<{ root: string, version: string }>}
 */
export async function oraclePackages(steps, directory) {
  const packages = join(directory, 'packages');
  const planFile = join(packages, 'plan.json');
  if (!existsSync(planFile)) await fetchPackages(steps, directory, packages, planFile);
  const files = JSON.parse(readFileSync(planFile, 'utf8')).map(({ file }) => file);
  const root = join(directory, 'root');
  if (!existsSync(root)) await steps.step('Unpacking them', () => unpack(packages, files, root));
  const [version] = /_(.*)_/
    .exec(files.find((/** @type {string} */ file) => file.startsWith(`${library}_`)))
    ?.slice(1) ?? [''];
  return { root, version };
}

async function fetchPackages(steps, directory, packages, planFile) {
  const problems = [];
  for (const source of await sources()) {
    const scratch = join(directory, 'apt');
    rmSync(scratch, { recursive: true, force: true });
    try {
      const apt = privateApt(scratch, source);
      const closure = await steps.step(`Reading the packages of Debian ${release}`, () => apt.closure(wanted));
      const plan = closure.filter(({ name }) => isNeeded(name));
      mkdirSync(packages, { recursive: true });
      const missing = plan.filter(({ file, bytes }) => !isComplete(join(packages, file), bytes));
      const megabytes = Math.round(missing.reduce((sum, { bytes }) => sum + bytes, 0) / 1e6);
      await steps.step(`Downloading ${missing.length} packages (${megabytes} MB)`, () =>
        apt.download(missing, packages),
      );
      for (const name of readdirSync(packages)) {
        if (!plan.some(({ file }) => file === name)) rmSync(join(packages, name));
      }
      writeFileSync(planFile, `${JSON.stringify(plan, null, 1)}\n`);
      return;
    } catch (error) {
      problems.push(`${source}\n${error.message}`);
    } finally {
      rmSync(scratch, { recursive: true, force: true });
    }
  }
  throw new Failure(`${library} could not be fetched from Debian ${release}:\n${problems.join('\n')}`, {
    hint: `The host's Debian mirror must have the suite ${release}. Packages fetched elsewhere can be put into ${packages}.`,
  });
}

const isComplete = (/** @type {string} */ file, /** @type {number} */ bytes) =>
  existsSync(file) && statSync(file).size === bytes;

async function sources() {
  const system = readOsRelease();
  if (system.ID === 'debian') return debianSources(release);
  throw new Failure(
    `the real server is built from Debian's packages, and this is ${system.PRETTY_NAME ?? 'no Debian'}`,
    {
      hint: 'Run it on Debian 12 or newer, or in a container of it.',
    },
  );
}

/** Beside the system: no package is installed, and no script of theirs is run. */
async function unpack(packages, files, root) {
  const unpacked = `${root}.new`;
  rmSync(unpacked, { recursive: true, force: true });
  mkdirSync(unpacked, { recursive: true });
  for (const file of files) {
    const { code, output } = await capture('dpkg', ['-x', join(packages, file), unpacked]);
    if (code !== 0) throw new Failure(`dpkg -x ${file}: ${output.trim()}`);
  }
  renameSync(unpacked, root);
}
