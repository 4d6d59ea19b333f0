import { readFile, readlink } from 'node:fs/promises';
import { join } from 'node:path';

/** What the kernel goes by when a process asks for something. */
export interface Identity {
  /** The lines of `/proc/PID/status` that are about rights. */
  readonly status: Readonly<Record<string, string>>;
  /** By the name of the namespace. */
  readonly namespaces: Readonly<Record<string, string>>;
  /** The lines of `/proc/PID/cgroup`. */
  readonly cgroups: readonly string[];
}

const RIGHTS = ['Uid', 'Gid', 'Groups', 'CapInh', 'CapPrm', 'CapEff', 'CapBnd', 'CapAmb', 'NoNewPrivs'];
const NAMESPACES = ['cgroup', 'ipc', 'mnt', 'net', 'pid', 'user', 'uts'];
const FLAGS: Readonly<Record<string, string>> = {
  cgroup: '--cgroup',
  ipc: '--ipc',
  mnt: '--mount',
  net: '--net',
  uts: '--uts',
};

/** Of a process that runs; `self` for our own. */
export async function identityOf(pid: number | 'self'): Promise<Identity> {
  const lines = (await readFile(`/proc/${pid}/status`, 'utf8')).split('\n').map((line) => line.split(/:\s*/, 2));
  const namespaces = NAMESPACES.map(async (name) => [name, await readlink(`/proc/${pid}/ns/${name}`)] as const);
  return {
    status: rights(Object.fromEntries(lines.map(([name = '', value = '']) => [name, value]))),
    namespaces: Object.fromEntries(await Promise.all(namespaces)),
    cgroups: (await readFile(`/proc/${pid}/cgroup`, 'utf8')).trim().split('\n'),
  };
}

/** Only what is about rights, with one space between numbers. */
export const rights = (status: Readonly<Record<string, string>>): Record<string, string> =>
  Object.fromEntries(RIGHTS.map((name) => [name, (status[name] ?? '').trim().replaceAll(/\s+/g, ' ')]));

const first = (numbers: string | undefined): string => numbers?.split(' ')[0] ?? '';

/**
 * A command with which a program runs as a process does: its user, groups, capabilities, namespaces and control groups.
 * The filter of system calls cannot be had: it is fixed in the process. Who has none can do more, so nothing is missed.
 */
export async function commandAs(
  pid: number,
  program: readonly string[],
  changes: { readonly user?: number } = {},
): Promise<string[]> {
  const [wanted, ours] = await Promise.all([identityOf(pid), identityOf('self')]);
  const entered = Object.entries(FLAGS)
    .filter(([name]) => wanted.namespaces[name] !== ours.namespaces[name])
    .map(([, flag]) => flag);
  const { Uid, Gid, Groups, CapEff, CapInh, NoNewPrivs } = wanted.status;
  const uid = changes.user === undefined ? first(Uid) : String(changes.user);
  const gid = changes.user === undefined ? first(Gid) : String(changes.user);
  const groups = changes.user === undefined && Groups ? `--groups=${Groups.replaceAll(' ', ',')}` : '--clear-groups';
  const isPowerless = changes.user !== undefined || BigInt(`0x${CapEff || '0'}`) === 0n;
  return [
    // Enters the groups before anything else: as the other user it may not.
    'sh',
    '-c',
    'while [ "$1" != -- ]; do echo $$ >"$1" || exit; shift; done; shift; exec "$@"',
    'sh',
    ...(await groupFiles(wanted.cgroups, ours.cgroups)),
    '--',
    ...(entered.length > 0 ? ['nsenter', '--target', String(pid), ...entered, '--'] : []),
    'setpriv',
    `--reuid=${uid}`,
    `--regid=${gid}`,
    groups,
    ...(isPowerless || BigInt(`0x${CapInh || '0'}`) === 0n ? ['--inh-caps=-all'] : []),
    ...(changes.user === undefined && NoNewPrivs === '1' ? ['--no-new-privs'] : []),
    '--',
    ...program,
  ];
}

/** Where a process writes its number to join control groups, for those that it is not in. */
async function groupFiles(wanted: readonly string[], ours: readonly string[]): Promise<string[]> {
  const mounts = (await readFile('/proc/self/mountinfo', 'utf8')).split('\n').flatMap((line) => {
    const [before = '', after = ''] = line.split(' - ');
    const [type = '', , options = ''] = after.split(' ');
    const [, , , root = '/', at = ''] = before.split(' ');
    return type.startsWith('cgroup') ? [{ at, root, controllers: type === 'cgroup2' ? [] : options.split(',') }] : [];
  });
  return wanted
    .filter((line) => !ours.includes(line))
    .flatMap((line) => {
      const [, names = '', path = '/'] = /^\d+:([^:]*):(.*)$/.exec(line) ?? [];
      const mount = mounts.find(({ controllers }) =>
        names === '' ? controllers.length === 0 : names.split(',').every((name) => controllers.includes(name)),
      );
      if (!mount) return [];
      const inside = mount.root !== '/' && path.startsWith(mount.root) ? path.slice(mount.root.length) : path;
      return [join(mount.at, inside, 'cgroup.procs')];
    });
}

/** In what an identity is not the one that it stands for. */
export const differences = (wanted: Identity, got: Identity): string[] => [
  ...RIGHTS.filter((name) => wanted.status[name] !== got.status[name]).map(
    (name) => `${name} is ${got.status[name]}, not ${wanted.status[name]}`,
  ),
  ...NAMESPACES.filter((name) => wanted.namespaces[name] !== got.namespaces[name]).map(
    (name) => `it is in another ${name} namespace`,
  ),
  ...wanted.cgroups.filter((line) => !got.cgroups.includes(line)).map((line) => `it is not in the group ${line}`),
];
