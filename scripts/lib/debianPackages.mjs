import { Failure } from './failure.mjs';
import { capture, runInForeground } from './spawn.mjs';

/**
 * Installs the Debian or Ubuntu packages that are missing; does nothing, quickly, when all are there.
 *
 * @param {import('./steps.mjs').Steps} steps
 * @param {readonly string[]} names
 * @param {object} [options]
 * @param {string} [options.title] what they are together; the names themselves unless given
 * @param {string} [options.alternative] what can be done without them
 * @param {boolean} [options.isUnattended] whether nobody may be asked for a password
 */
export async function ensureDebianPackages(steps, names, { title, alternative, isUnattended = false } = {}) {
  try {
    await install(steps, names, title, isUnattended);
  } catch (error) {
    if (!(error instanceof Failure) || !alternative) throw error;
    throw new Failure(error.message, { hint: [error.hint, alternative].filter(Boolean).join('\n') });
  }
}

async function install(steps, names, title, isUnattended) {
  const missing = await missingPackages(names);
  if (missing.length === 0) return;
  const prefix = await privilegePrefix(missing, isUnattended);
  await steps.step(`Installing ${title ?? missing.join(', ')}`, async () => {
    // Lists may be absent (container images) or outdated, in which case a second try after an update helps.
    const first = await aptGet(prefix, 'install', '--no-install-recommends', ...missing);
    if (first.code === 0) return;
    const update = await aptGet(prefix, 'update');
    const second = await aptGet(prefix, 'install', '--no-install-recommends', ...missing);
    if (second.code !== 0) throw aptFailure(missing, `${update.code === 0 ? '' : update.output}${second.output}`);
  });
}

const statusFormat = ['Package', 'db:Status-Status']
  .map((field) => `$\{${field}}`)
  .join(' ')
  .concat('\\n');

/** Those of `names` that dpkg does not report as installed. */
async function missingPackages(names) {
  let result;
  try {
    result = await capture('dpkg-query', ['--show', '--showformat', statusFormat, ...names]);
  } catch (error) {
    if (error.code !== 'ENOENT') throw error;
    throw new Failure('programs are missing, and this system does not have dpkg to install them', {
      hint: `Vireo sets itself up on Debian and Ubuntu. On other systems, install the contents of these packages manually: ${names.join(' ')}`,
    });
  }
  return notInstalled(names, result.stdout);
}

/**
 * @param {readonly string[]} names
 * @param {string} report lines of package name and status
 */
export function notInstalled(names, report) {
  const installed = new Set(
    report
      .split('\n')
      .filter((line) => line.endsWith(' installed'))
      .map((line) => line.split(' ')[0]),
  );
  return names.filter((name) => !installed.has(name));
}

/** How to become root: not at all, or with sudo, which may ask for a password on the terminal. */
async function privilegePrefix(missing, isUnattended) {
  if (process.getuid?.() === 0) return [];
  const byHand = `Install them manually: sudo apt-get install ${missing.join(' ')}`;
  const isThere = (await capture('sh', ['-c', 'command -v sudo'])).code === 0;
  if (!isThere) {
    throw new Failure(`${missing.join(', ')} must be installed, which needs root, but sudo is not installed`, {
      hint: `Install them manually as root: apt-get install ${missing.join(' ')}`,
    });
  }
  if ((await capture('sudo', ['--non-interactive', 'true'])).code === 0) return ['sudo'];
  if (isUnattended || !process.stdin.isTTY) {
    throw new Failure(`${missing.join(', ')} must be installed, but sudo needs a password`, { hint: byHand });
  }
  console.error(`${missing.join(', ')} must be installed; sudo may ask for your password.`);
  if ((await runInForeground('sudo', ['--validate'])) !== 0) {
    throw new Failure(`${missing.join(', ')} must be installed, but sudo failed`, { hint: byHand });
  }
  return ['sudo'];
}

function aptGet(prefix, ...args) {
  const command = [
    ...prefix,
    'env',
    'DEBIAN_FRONTEND=noninteractive',
    'LC_ALL=C',
    'apt-get',
    '--quiet',
    '--assume-yes',
  ];
  // Another apt (unattended upgrades on a fresh machine) may hold the lock for a while.
  return capture(command[0], [...command.slice(1), '--option', 'DPkg::Lock::Timeout=300', ...args]);
}

function aptFailure(missing, output) {
  const details = output.trim().split('\n').slice(-15).join('\n');
  return new Failure(`apt-get could not install ${missing.join(', ')}\n\n${details}\n`, {
    hint: /ENOSPC|No space left/.test(output)
      ? 'The disk is full: free some space (`df -h /`) and run the command again.'
      : 'Check the network and the sources in /etc/apt, then run the command again.',
  });
}
