import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, statSync } from 'node:fs';

/** What some hosts have and others lack; the lab has them all. To look may load modules of the kernel. */
export const CAPABILITIES = {
  'cgroup v2': () => hasCgroupControllers('cpu', 'cpuset', 'memory', 'pids'),
  systemd: () => read('/proc/1/comm') === 'systemd' && existsSync('/run/systemd/system'),
  AppArmor: () => read('/sys/module/apparmor/parameters/enabled') === 'Y',
  NFS: () => hasModules('nfs', 'nfsd') && hasPrograms('exportfs', 'mount.nfs'),
  VLANs: () => hasModules('8021q') && hasPrograms('ip'),
  bridges: () => hasModules('bridge', 'tun') && hasPrograms('ip'),
  nftables: () => hasModules('nf_tables') && hasPrograms('nft'),
  WireGuard: () => hasModules('wireguard') && hasPrograms('wg'),
  vsock: () => hasModules('vhost_vsock') && isCharacterDevice('/dev/vhost-vsock'),
  'access control lists': () => hasPrograms('setfacl', 'getfacl'),
} as const satisfies Record<string, () => boolean>;

export type Capability = keyof typeof CAPABILITIES;

/**
 * Whether this host is the lab, where nothing may be missing, and where tests may change the host: it is discarded
 * afterwards.
 */
export const isLab = process.env.VIREO_TEST_LAB === '1';

function hasCgroupControllers(...names: readonly string[]): boolean {
  const controllers = read('/sys/fs/cgroup/cgroup.controllers').split(' ');
  return names.every((name) => controllers.includes(name));
}

/** Whether the kernel has them, built in or loaded, or can load them now. */
function hasModules(...names: readonly string[]): boolean {
  return names.every((name) => existsSync(`/sys/module/${name}`) || succeeds('modprobe', name));
}

const hasPrograms = (...names: readonly string[]): boolean =>
  names.every((name) => succeeds('sh', '-c', `command -v ${name} || command -v /usr/sbin/${name}`));

const isCharacterDevice = (path: string): boolean => existsSync(path) && statSync(path).isCharacterDevice();

function succeeds(program: string, ...args: readonly string[]): boolean {
  try {
    execFileSync(program, args, { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}

/** Empty where there is none. */
function read(path: string): string {
  try {
    return readFileSync(path, 'utf8').trim();
  } catch {
    return '';
  }
}
