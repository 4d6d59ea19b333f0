import { createHash } from 'node:crypto';
import {
  chmodSync,
  copyFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { debootstrap } from './debootstrap.mjs';
import { Failure } from './failure.mjs';
import { cacheDirectory, root } from './paths.mjs';
import { capture } from './spawn.mjs';

const files = join(root, 'lab/files');

/** What a usual host has, and the subsystems that the lab is for. */
const SYSTEM_PACKAGES = [
  ...['linux-image-amd64', 'initramfs-tools', 'systemd-sysv', 'dbus', 'udev', 'kmod', 'procps', 'e2fsprogs', 'less'],
  // The profiles of libvirt's AppArmor driver are in libvirt-daemon-system, and so is its system daemon.
  ...['apparmor', 'libvirt-daemon-system'],
  ...['nfs-kernel-server', 'nfs-common', 'wireguard-tools', 'nftables', 'acl', 'iputils-ping'],
];

/** Daemons and timers that only cost time in a system that lives for minutes, and the logins that nobody needs. */
const MASKED = [
  ...['apt-daily.timer', 'apt-daily-upgrade.timer', 'dpkg-db-backup.timer', 'fstrim.timer', 'e2scrub_all.timer'],
  ...['e2scrub_reap.service', 'docker-registry.service', 'getty@tty1.service', 'serial-getty@ttyS0.service'],
  ...['libvirtd.service', 'libvirtd.socket', 'libvirtd-ro.socket', 'libvirtd-admin.socket', 'libvirt-guests.service'],
  ...['virtlogd.socket', 'virtlockd.socket', 'systemd-networkd-wait-online.service'],
];

/** In a mount namespace of its own, whose mounts end with it. No package may start what it brings. */
const INSTALL = `set -e
target=$1
shift
mount --make-rprivate /
mount -t proc proc "$target/proc"
mount -t tmpfs -o mode=755 tmpfs "$target/dev"
for device in null zero full random urandom tty; do
  : > "$target/dev/$device"
  mount --bind "/dev/$device" "$target/dev/$device"
done
printf '#!/bin/sh\\nexit 101\\n' > "$target/usr/sbin/policy-rc.d"
chmod +x "$target/usr/sbin/policy-rc.d"
export DEBIAN_FRONTEND=noninteractive LC_ALL=C
chroot "$target" apt-get --quiet update
chroot "$target" apt-get --quiet --assume-yes --no-install-recommends \\
  --option Dpkg::Options::=--force-confold --option Dpkg::Options::=--force-unsafe-io install "$@"
rm -rf "$target/var/cache/apt/archives/"*.deb "$target/var/lib/apt/lists/"*`;

/**
 * The lab's Debian as files that QEMU can boot, built unless it is in the cache: a root disk, the kernel and its
 * initramfs. What it is built from is its key; a Debian update is not, so `isForced` builds it again.
 *
 * @param {import('./steps.mjs').Steps} steps
 * @param {{ mirror: { site: string, suite: string }, packages: readonly string[], isForced?: boolean }} options
 * @returns {Promise<string>} the directory
 */
export async function labImage(steps, { mirror, packages, isForced = false }) {
  const all = [...new Set([...SYSTEM_PACKAGES, ...packages])].sort();
  const images = join(cacheDirectory, 'lab');
  const image = join(images, keyOf({ mirror, all, MASKED, INSTALL }));
  if (isForced) rmSync(image, { recursive: true, force: true });
  if (existsSync(image)) return image;
  const building = `${image}.new`;
  rmSync(building, { recursive: true, force: true });
  mkdirSync(building, { recursive: true });
  const tree = join(building, 'root');
  await debootstrap(steps, mirror, tree);
  await steps.step(`Installing ${all.length} packages and what they need`, () => install(tree, all));
  await steps.step('Writing the disk', () => writeDisk(tree, building));
  rmSync(tree, { recursive: true, force: true });
  for (const name of readdirSync(images)) if (join(images, name) !== building) removeOld(images, name);
  renameSync(building, image);
  return image;
}

function keyOf(/** @type {object} */ inputs) {
  const hash = createHash('sha256').update(JSON.stringify(inputs));
  for (const path of readdirSync(files, { recursive: true, encoding: 'utf8' }).sort())
    if (statSync(join(files, path)).isFile()) hash.update(`\n${path}\n`).update(readFileSync(join(files, path)));
  return hash.digest('hex').slice(0, 12);
}

/** Images of other keys: each is a gigabyte. */
function removeOld(/** @type {string} */ images, /** @type {string} */ name) {
  if (/^[0-9a-f]{12}(\.new)?$/.test(name)) rmSync(join(images, name), { recursive: true, force: true });
}

async function install(/** @type {string} */ tree, /** @type {readonly string[]} */ packages) {
  for (const path of ['/etc/resolv.conf', '/etc/hosts', '/etc/ssl/certs/ca-certificates.crt'])
    if (existsSync(path)) cpSync(path, join(tree, path), { dereference: true });
  // The initramfs is made by the installation of the kernel: what it is made of must be there before.
  cpSync(join(files, 'etc/initramfs-tools'), join(tree, 'etc/initramfs-tools'), { recursive: true });
  await succeed('unshare', ['--mount', '--pid', '--fork', 'sh', '-c', INSTALL, 'sh', tree, ...packages]);
  rmSync(join(tree, 'usr/sbin/policy-rc.d'));
  for (const path of ['etc/resolv.conf', 'etc/hosts', 'etc/hostname']) rmSync(join(tree, path), { force: true });
  cpSync(files, tree, { recursive: true });
  // A host with a firewall of its own, or a daemon, is another test's business.
  await succeed('chroot', [tree, 'systemctl', 'mask', ...MASKED]);
  mkdirSync(join(tree, 'vireo'));
  // Every boot is the first: an empty one is filled then, which takes time, so it has one of its own.
  writeFileSync(join(tree, 'etc/machine-id'), `${createHash('md5').update('vireo lab').digest('hex')}\n`);
  chmodSync(join(tree, 'root'), 0o700);
}

async function writeDisk(/** @type {string} */ tree, /** @type {string} */ directory) {
  const boot = join(tree, 'boot');
  for (const [prefix, copy] of [
    ['vmlinuz-', 'vmlinuz'],
    ['initrd.img-', 'initrd.gz'],
  ]) {
    const found = readdirSync(boot).find((name) => name.startsWith(prefix));
    if (!found) throw new Failure(`the kernel's package left no ${prefix}* in ${boot}`);
    copyFileSync(join(boot, found), join(directory, copy));
  }
  const options = ['-q', '-F', '-t', 'ext4', '-m', '0', '-E', 'lazy_itable_init=1,lazy_journal_init=1'];
  await succeed('mke2fs', [...options, '-L', 'lab', '-d', tree, join(directory, 'root.img'), '8G']);
}

async function succeed(/** @type {string} */ command, /** @type {readonly string[]} */ args) {
  const { code, output } = await capture(command, args);
  if (code === 0) return;
  const lastWords = output.trim().split('\n').slice(-15).join('\n');
  throw new Failure(`the lab's Debian cannot be built: ${command} ended with ${code}\n\n${lastWords}\n`);
}
