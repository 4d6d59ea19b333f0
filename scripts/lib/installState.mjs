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
 * Whether node_modules must be emptied first: npm trusts what it finds there, and an installation that was cut off
 * leaves packages with half their files. Otherwise only the difference is installed, which leaves programs that run
 * from node_modules alone.
 *
 * @param {{ state: string } | undefined} stamp what the last set-up left behind
 * @param {boolean} installedByNpm whether npm finished an installation there, ours or by hand
 */
export function mustStartAfresh(stamp, installedByNpm) {
  return stamp?.state === 'installing' || !installedByNpm;
}

function readIfThere(file) {
  try {
    return readFileSync(file);
  } catch (error) {
    if (error.code === 'ENOENT') return '';
    throw error;
  }
}
