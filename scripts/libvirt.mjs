import { accessSync, constants, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { delimiter, dirname, isAbsolute, join } from 'node:path';
import { ensureDebianPackages } from './lib/debianPackages.mjs';
import { Failure } from './lib/failure.mjs';
import { readOsRelease } from './lib/osRelease.mjs';
import { cacheDirectory, isPackaged } from './lib/paths.mjs';

const isArm = process.arch === 'arm64';

/** Programs without which no VM runs, and the Debian packages of each. */
const needed = {
  libvirtd: ['libvirt-daemon', 'libvirt-daemon-driver-qemu'],
  'qemu-img': ['qemu-utils'],
  ...(isArm ? { 'qemu-system-aarch64': ['qemu-system-arm'] } : { 'qemu-system-x86_64': ['qemu-system-x86'] }),
};

/**
 * What some VMs need: firmware for UEFI, TPMs, shared directories, images packed by xz. Networks are made by ip and
 * nft; conntrack lets Services for datagrams follow their endpoints. Without setfacl, the guests of a root's server run
 * as root; without slirp4netns, those of anybody else reach the loopback addresses of their host. tini collects what
 * ends without a parent, which makes stops quick where the machine's first process is slow to do so.
 */
const useful = {
  ...(isArm
    ? { '/usr/share/AAVMF/AAVMF_CODE.fd': ['qemu-efi-aarch64'] }
    : { '/usr/share/OVMF/OVMF_CODE.fd': ['ovmf'] }),
  conntrack: ['conntrack'],
  ip: ['iproute2'],
  nft: ['nftables'],
  setfacl: ['acl'],
  ...(process.getuid?.() === 0 ? {} : { slirp4netns: ['slirp4netns'] }),
  swtpm: ['swtpm'],
  swtpm_setup: ['swtpm-tools'],
  tini: ['tini'],
  ...virtiofsd(),
  xz: ['xz-utils'],
};

/** Older releases have it with QEMU, and no package of its own. */
function virtiofsd() {
  const { ID: id, VERSION_ID: version = '' } = readOsRelease();
  const isWithQemu = Number.parseFloat(version) < (id === 'ubuntu' ? 24 : 13);
  return isWithQemu
    ? { '/usr/lib/qemu/virtiofsd': ['qemu-system-common'] }
    : { '/usr/libexec/virtiofsd': ['virtiofsd'] };
}

/** The Debian packages of all of them. */
export const vmPackages = [needed, useful].flatMap((programs) => Object.values(programs).flat());

/** Said wherever VMs cannot be had. */
const alternative = `The Kubernetes API works without them: ${isPackaged ? '' : 'npm start -- --api-only, or '}vireo up --api-only`;

const triedFile = join(cacheDirectory, 'useful-packages.json');

/**
 * Installs libvirt and QEMU where they are missing. When all programs are there, however they came, nothing is asked.
 *
 * @param {import('./lib/steps.mjs').Steps} steps
 */
export async function ensureLibvirt(steps) {
  const missing = packagesOf(needed);
  const missingUseful = packagesOf(useful);
  if (missing.length > 0) {
    await ensureDebianPackages(steps, [...missing, ...missingUseful], { title: 'libvirt and QEMU', alternative });
    return;
  }
  // VMs run without these, so a host where they cannot be had is asked once, not at every start.
  if (missingUseful.length === 0 || wasTried(missingUseful)) return;
  remember(missingUseful);
  try {
    await ensureDebianPackages(steps, missingUseful, {
      title: 'firmware, TPMs and file rights for VMs',
      isUnattended: true,
    });
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    steps.say(
      `VMs with UEFI or a TPM, and guests that do not run as root, need additional packages: ${error.message.split('\n')[0]}\n` +
        `  sudo apt-get install ${missingUseful.join(' ')}`,
    );
  }
}

/** Packages of the programs that are not there. */
function packagesOf(/** @type {Record<string, string[]>} */ programs) {
  return Object.entries(programs).flatMap(([program, packages]) => (isThere(program) ? [] : packages));
}

/** Users do not have the directories of the administrator's programs on their PATH. */
function isThere(/** @type {string} */ program) {
  const directories = [...(process.env.PATH ?? '').split(delimiter), '/usr/sbin', '/usr/local/sbin'];
  const paths = isAbsolute(program)
    ? [program]
    : directories.filter(Boolean).map((directory) => join(directory, program));
  return paths.some((path) => {
    try {
      accessSync(path, isAbsolute(program) ? constants.R_OK : constants.X_OK);
      return true;
    } catch {
      return false;
    }
  });
}

function wasTried(/** @type {readonly string[]} */ packages) {
  try {
    return readFileSync(triedFile, 'utf8') === JSON.stringify(packages);
  } catch {
    return false;
  }
}

function remember(/** @type {readonly string[]} */ packages) {
  try {
    mkdirSync(dirname(triedFile), { recursive: true });
    writeFileSync(triedFile, JSON.stringify(packages));
  } catch {
    // Another user's checkout: it is asked again at the next start.
  }
}
