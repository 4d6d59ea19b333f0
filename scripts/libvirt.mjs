import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';
import { ensureDebianPackages } from './lib/debianPackages.mjs';

/** Programs that real machines need, and the Debian package of each. tini collects what ends without a parent. */
const packages = {
  libvirtd: ['libvirt-daemon', 'libvirt-daemon-driver-qemu'],
  'qemu-img': ['qemu-utils'],
  'qemu-system-x86_64': ['qemu-system-x86'],
  tini: ['tini'],
};

/**
 * Installs libvirt and QEMU where they are missing. When all programs are there, however they came, nothing is asked.
 *
 * @param {import('./lib/steps.mjs').Steps} steps
 */
export async function ensureLibvirt(steps) {
  if (Object.keys(packages).every(isOnPath)) return;
  await ensureDebianPackages(steps, Object.values(packages).flat(), 'libvirt and QEMU');
}

/** Users do not have the directories of the administrator's programs on their PATH. */
function isOnPath(/** @type {string} */ program) {
  const directories = [...(process.env.PATH ?? '').split(delimiter), '/usr/sbin', '/usr/local/sbin'];
  return directories.filter(Boolean).some((directory) => {
    try {
      accessSync(join(directory, program), constants.X_OK);
      return true;
    } catch {
      return false;
    }
  });
}
