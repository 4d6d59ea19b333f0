import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/**
 * What the installed packages depend on: the lock file, every package.json of the workspace, and the kind of machine.
 *
 * @param {string} root
 */
export function fingerprint(root) {
  const hash = createHash('sha256').update(`${process.platform} ${process.arch}\n`);
  const packages = readdirSync(join(root, 'packages')).sort();
  for (const file of [
    'package-lock.json',
    'package.json',
    ...packages.map((name) => `packages/${name}/package.json`),
  ]) {
    hash.update(`${file}\n`).update(readIfThere(join(root, file)));
  }
  return hash.digest('hex');
}

/**
 * Which npm command brings node_modules up to date. A clean installation where nothing usable is there; otherwise only
 * the difference, which leaves programs that run from node_modules alone. Neither changes package-lock.json.
 *
 * @param {{ state: string } | undefined} stamp what the last set-up left behind
 * @param {boolean} installedByNpm whether npm finished an installation there, ours or by hand
 */
export function installCommand(stamp, installedByNpm) {
  const usable = installedByNpm && stamp?.state !== 'installing';
  return usable ? ['install', '--no-save'] : ['ci'];
}

function readIfThere(file) {
  try {
    return readFileSync(file);
  } catch (error) {
    if (error.code === 'ENOENT') return '';
    throw error;
  }
}
