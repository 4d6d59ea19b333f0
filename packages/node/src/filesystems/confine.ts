import type { ShareOwner } from './owner.ts';
import type { VirtiofsdProgram } from './program.ts';

/** What a virtiofsd is to share, and as whom. */
export interface Confinement {
  readonly program: VirtiofsdProgram;
  /** The directory that the guest gets. */
  readonly directory: string;
  /** Its device and inode, where it must be none but that. */
  readonly identity?: string;
  readonly isReadOnly: boolean;
  /** An empty directory, where its view of the host is put together. */
  readonly stage: string;
  /** Where it makes its socket. */
  readonly sockets: string;
  /** Whom it is; undefined where Vireo is not root: it is our own user then. */
  readonly owner?: ShareOwner | undefined;
  /** Whether our user has further users to give to guests, where Vireo is not root. */
  readonly hasSubordinates?: boolean;
}

/** The name of its socket in the directory for that. */
export const SOCKET = 's';

/** More than its threads, and too few for a swarm. */
const PROCESSES = 128;

/**
 * The share and the directory for the socket are all that is below its /run, where the older virtiofsd also wants to
 * write. Root does this before it lets go of its rights: the paths may lead through directories that are closed to
 * others, and the mounts cannot be changed from inside. A path may lead elsewhere than when it was checked: what was
 * mounted counts.
 */
const PREPARE = `set -eu
stage=$1 share=$2 identity=$3 sockets=$4 owner=$5 flags=$6
shift 6
mount -t tmpfs -o "size=256k,mode=0700,nosuid,nodev,noexec$owner" vireo "$stage"
mkdir "$stage/share" "$stage/socket"
mount --bind "$share" "$stage/share"
if [ -n "$identity" ] && [ "$(stat -c %d:%i "$stage/share")" != "$identity" ]; then
  echo "$share was replaced by another directory" >&2
  exit 1
fi
if [ -n "$flags" ]; then mount -o "remount,bind,$flags" "$stage/share"; fi
mount --bind "$sockets" "$stage/socket"
mount --rbind "$stage" /run
exec "$@"
`;

/** Waits until we have said which users there are. */
const AWAIT_USERS = `echo ready
exec >&2
read -r users_are_there || exit 1
exec "$@"
`;

/** Waits until it is noted. If we are killed before, it ends: nobody would know it. */
const AWAIT_NOTE = `read -r is_noted || exit 1
exec "$@"
`;

/**
 * It leaves all but the share behind by itself, the network, too, in namespaces where it may mount /proc. Containers that
 * hide parts of /proc do not let it: there it can only change its root.
 */
const SHUT_IN = `if unshare --mount --pid --fork mount -t proc proc /proc 2>/dev/null; then exec "$@namespace"; fi
exec unshare --net "$@chroot"
`;

const shell = (script: string): string[] => ['sh', '-c', script, 'sh'];

/** Nothing of what it is or has can be had back, and nothing but paths connects it with others. */
const NAMESPACES = ['--user', '--mount', '--ipc', '--uts'];
const WITHOUT_RIGHTS = ['--no-new-privs', '--inh-caps', '-all', '--ambient-caps', '-all'];

/**
 * The command that runs a virtiofsd which reaches nothing but its share. It goes on when it gets a line; as
 * root's child it prints one before, when its users can be mapped.
 */
export function confinedCommand(wanted: Confinement): string[] {
  const { program, directory, identity = '', isReadOnly, stage, sockets, owner } = wanted;
  const daemon = [
    ...shell(SHUT_IN),
    ...['prlimit', `--nproc=${PROCESSES}`, program.path, ...program.arguments(`/run/socket/${SOCKET}`, '/run/share')],
  ];
  if (!owner) {
    const users = ['--map-root-user', ...(wanted.hasSubordinates ? ['--map-auto'] : [])];
    return [
      ...[...shell(AWAIT_NOTE), 'unshare', ...NAMESPACES, ...users, '--propagation=private'],
      ...[...shell(PREPARE), stage, directory, identity, sockets, '', isReadOnly ? 'ro' : ''],
      ...['setpriv', ...WITHOUT_RIGHTS, ...daemon],
    ];
  }
  return [
    ...['unshare', '--mount', '--propagation=private'],
    ...[...shell(PREPARE), stage, directory, identity, sockets],
    ...[`,uid=${owner.uid},gid=${owner.gid}`, `nosuid,nodev${isReadOnly ? ',ro' : ''}`],
    // Until its users are mapped it is nobody, and nobody keeps no rights without being told to.
    ...['unshare', ...NAMESPACES, '--keep-caps', ...shell(AWAIT_USERS)],
    ...['setpriv', '--reuid=0', '--regid=0', '--clear-groups', ...WITHOUT_RIGHTS, ...daemon],
  ];
}
