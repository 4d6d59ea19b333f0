import { chmod, copyFile, cp, mkdir, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { runCommand } from './command.ts';
import { bootModules, initramfsApplets, otherModules, programLinks, programs } from './contents.ts';
import { cpioArchive } from './cpio.ts';
import { chooseModules, modulesAlias, modulesDep, withoutSignature } from './modules.ts';
import { libraryDirectory, loader, type Unpacked } from './unpacked.ts';

/** Lays out the guest's root filesystem in `target`. */
export async function layOutRoot(unpacked: Unpacked, files: string, target: string): Promise<void> {
  const directories = [
    'dev',
    'proc',
    'sys',
    'run',
    'tmp',
    'mnt',
    'root',
    'home/vireo',
    'usr/bin',
    'usr/sbin',
    'usr/lib',
  ];
  for (const path of [...directories, 'var/log', 'var/lib/dhcpcd', 'var/lib/vireo', 'etc/dropbear']) {
    await mkdir(join(target, path), { recursive: true });
  }
  for (const name of ['bin', 'sbin', 'lib']) await symlink(`usr/${name}`, join(target, name));
  await symlink('../run', join(target, 'var/run'));
  await cp(files, target, { recursive: true });
  for (const [path, mode] of [
    ['etc/shadow', 0o600],
    ['etc/doas.conf', 0o400],
    ['root', 0o700],
  ] as const) {
    await chmod(join(target, path), mode);
  }
  await installBusybox(unpacked, join(target, 'usr/bin'));
  await installPrograms(unpacked, target);
  await installCertificates(unpacked, join(target, 'etc/ssl/certs'));
  await installModules(unpacked, join(target, 'usr/lib/modules'), [...bootModules, ...otherModules]);
}

/** The small filesystem in memory that the kernel starts from, ready to be written to the boot partition. */
export async function makeInitramfs(unpacked: Unpacked, files: string, scratch: string): Promise<Buffer> {
  for (const name of ['bin', 'dev', 'proc', 'sys', 'root', 'lib/modules']) {
    await mkdir(join(scratch, name), { recursive: true });
  }
  await cp(files, scratch, { recursive: true });
  await copyFile(unpacked.path('usr/bin/busybox'), join(scratch, 'bin/busybox'));
  for (const name of initramfsApplets) await symlink('busybox', join(scratch, 'bin', name));
  await symlink('bin', join(scratch, 'sbin'));
  await installModules(unpacked, join(scratch, 'lib/modules'), bootModules);
  return gzipSync(await cpioArchive(scratch), { level: 9 });
}

/**
 * All modules as Debian signed them, to be unpacked over the initramfs: under Secure Boot the kernel takes no others.
 * The mark tells the initramfs to hand them on to the guest.
 */
export async function makeSignedModules(unpacked: Unpacked, scratch: string): Promise<Buffer> {
  const modules = join(scratch, 'lib/modules');
  await installModules(unpacked, modules, [...bootModules, ...otherModules], (module) => module);
  await writeFile(join(modules, 'signed'), '');
  return gzipSync(await cpioArchive(scratch), { level: 9 });
}

/** Every applet gets its name in `usr/bin`; init looks for the name it was started by. */
async function installBusybox(unpacked: Unpacked, directory: string): Promise<void> {
  const source = unpacked.path('usr/bin/busybox');
  await writeFile(join(directory, 'busybox'), withoutWget(await readFile(source)), { mode: 0o755 });
  const applets = (await runCommand(source, ['--list'])).split('\n').filter((name) => name && name !== 'busybox');
  for (const name of applets) await symlink('busybox', join(directory, name));
  for (const name of ['init', 'getty', 'modprobe', 'poweroff', 'reboot', 'halt']) {
    await symlink('../bin/busybox', join(directory, '../sbin', name));
  }
}

const APPLET_NAMES = Buffer.from('\0wc\0wget\0which\0');

/**
 * Debian's shell in busybox runs an applet before any program of its name, wherever that is. So this one gets another
 * name, which must stay in the order of the list.
 */
export function withoutWget(busybox: Buffer): Buffer {
  const at = busybox.indexOf(APPLET_NAMES);
  if (at < 0) throw new Error('busybox has no list of applets with wc, wget and which in it');
  const renamed = Buffer.from(busybox);
  renamed.write('\0wc\0wgeu\0which\0', at, 'latin1');
  return renamed;
}

async function installPrograms(unpacked: Unpacked, target: string): Promise<void> {
  const libraries = new Set<string>();
  for (const program of programs) {
    const destination = join(target, program);
    // What busybox has under that name is a link to busybox itself.
    await rm(destination, { force: true });
    await copyFile(unpacked.path(program), destination);
    for (const library of await unpacked.librariesOf(program)) libraries.add(library);
  }
  const modulePath = join(libraryDirectory, 'security/pam_permit.so');
  await mkdir(join(target, dirname(modulePath)), { recursive: true });
  await copyFile(unpacked.path(modulePath), join(target, modulePath));
  for (const library of libraries) await copyFile(library, join(target, libraryDirectory, basename(library)));
  await mkdir(join(target, 'lib64'));
  await symlink(`../${loader}`, join(target, 'lib64', basename(loader)));
  await copyFile(unpacked.path(loader), join(target, loader));
  await chmod(join(target, 'usr/bin/doas'), 0o4755);
  for (const [path, destination] of Object.entries(programLinks)) await symlink(destination, join(target, path));
}

/** The authorities that Debian trusts, in the file where programs look for them. */
async function installCertificates(unpacked: Unpacked, directory: string): Promise<void> {
  const source = unpacked.path('usr/share/ca-certificates/mozilla');
  const names = (await readdir(source)).filter((name) => name.endsWith('.crt')).sort();
  const certificates = await Promise.all(names.map((name) => readFile(join(source, name), 'utf8')));
  await mkdir(directory, { recursive: true });
  await writeFile(join(directory, 'ca-certificates.crt'), certificates.join(''));
}

async function installModules(
  unpacked: Unpacked,
  directory: string,
  wanted: readonly string[],
  finish: (module: Buffer) => Buffer = withoutSignature,
): Promise<void> {
  const version = await unpacked.kernelVersion();
  const source = unpacked.path('usr/lib/modules', version);
  const modules = await chooseModules(source, wanted);
  const target = join(directory, version);
  for (const { path } of modules) {
    await mkdir(join(target, dirname(path)), { recursive: true });
    await writeFile(join(target, path), finish(await readFile(join(source, path))));
  }
  await writeFile(join(target, 'modules.dep'), `${modulesDep(modules)}\n`);
  await writeFile(join(target, 'modules.alias'), `${modulesAlias(modules)}\n`);
}
