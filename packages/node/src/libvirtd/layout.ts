import { createHash, randomUUID } from 'node:crypto';
import { join } from 'node:path';

/** Where the node keeps things. What lasts is below the home; sockets are not, for their paths must be short. */
export interface NodeLayout {
  readonly isRoot: boolean;
  /** `<home>/libvirt`: configuration, state, caches and logs of the daemon. */
  readonly libvirt: string;
  /** One directory a VM: disks that live as long as it does, its log. */
  readonly vmis: string;
  readonly images: string;
  /** One directory a persistent volume. */
  readonly volumes: string;
  /** The data of volume snapshots, one directory each. */
  readonly snapshots: string;
  /** Sockets: the daemon's, and those of the guests' consoles. */
  readonly run: string;
  readonly libvirtSocket: string;
  readonly uri: string;
}

/** `/run/vireo/<hash of the home>` for root, else below XDG_RUNTIME_DIR, or a directory of the user's own. */
export function runtimeDirectory(home: string, isRoot: boolean, env: NodeJS.ProcessEnv = process.env): string {
  const hash = createHash('sha256').update(home).digest('hex').slice(0, 12);
  if (isRoot) return join('/run/vireo', hash);
  const { XDG_RUNTIME_DIR: own } = env;
  return own ? join(own, 'vireo', hash) : join(`/tmp/vireo-${process.getuid?.()}`, hash);
}

export function nodeLayout(home: string, isRoot: boolean): NodeLayout {
  const run = runtimeDirectory(home, isRoot);
  return {
    isRoot,
    libvirt: join(home, 'libvirt'),
    vmis: join(home, 'machines'),
    images: join(home, 'images'),
    volumes: join(home, 'volumes'),
    snapshots: join(home, 'snapshots'),
    run,
    libvirtSocket: isRoot ? join(run, 'libvirt-sock') : join(run, 'libvirt', 'libvirt-sock'),
    uri: isRoot ? 'qemu:///system' : 'qemu:///session',
  };
}

/**
 * Where the daemon logs to. It takes no path with a space or a quote: below such a home its log is what it prints. The
 * comment tells whose the file is.
 */
const logOutputs = ({ libvirt }: NodeLayout): string[] =>
  /[\s"\\]/.test(libvirt)
    ? [`# The log of ${libvirt.replaceAll(/[\r\n]/g, ' ')}/ is log/start.log.`, 'log_outputs = "3:stderr"']
    : [`log_outputs = "3:file:${libvirt}/log/libvirtd.log"`];

/** The daemon trusts nobody but us: its socket is reached through a directory of ours only. */
export const libvirtdConf = (layout: NodeLayout, hostUuid: string = randomUUID()): string =>
  [
    'auth_unix_ro = "none"',
    'auth_unix_rw = "none"',
    // The directory keeps others out; the sockets do so by themselves, too.
    'unix_sock_ro_perms = "0700"',
    'unix_sock_rw_perms = "0700"',
    `host_uuid = "${hostUuid}"`,
    ...logOutputs(layout),
    // Errors only, where it would warn twice of every guest that its user and its arguments are our own choice.
    'log_filters = "4:qemu.qemu_domain"',
    'max_client_requests = 50',
    ...(layout.isRoot ? [`unix_sock_dir = "${layout.run}"`] : []),
    '',
  ].join('\n');

/** Whether a `libvirtd.conf` is this home's: edits of its owner stay, and a home that was moved gets another. */
export const isConfOf = ({ isRoot, run, libvirt }: NodeLayout, conf: string): boolean =>
  conf.includes(`${libvirt}/`) && (!isRoot || conf.includes(`"${run}"`));

/** Where libvirt finds AppArmor, guests are confined by it: the default of a root libvirtd that is told nothing else. */
export const qemuConf = ({ isRoot }: NodeLayout, hasAppArmor = false): string =>
  [
    ...(isRoot && hasAppArmor ? [] : ['security_driver = "none"']),
    'cgroup_controllers = [ ]',
    'stdio_handler = "file"',
    'max_core = 0',
    ...(isRoot
      ? [
          'user = "root"',
          'group = "root"',
          'dynamic_ownership = 0',
          'remember_owner = 0',
          'namespaces = [ ]',
          'clear_emulator_capabilities = 0',
          'swtpm_user = "root"',
          'swtpm_group = "root"',
        ]
      : []),
    '',
  ].join('\n');
