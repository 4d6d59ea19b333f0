import { access, constants } from 'node:fs/promises';

/** A virtiofsd of this host, and how it is told what to share. */
export interface VirtiofsdProgram {
  readonly path: string;
  /** Its arguments; the last says how it shuts itself in. */
  arguments(socket: string, directory: string): readonly string[];
}

/** In the order of preference: the present one, written in Rust, and the one that came with QEMU until 7.2. */
export const PROGRAMS: readonly VirtiofsdProgram[] = [
  ...['/usr/libexec/virtiofsd', '/usr/lib/virtiofsd'].map((path) => ({
    path,
    arguments: (socket: string, directory: string) => [
      `--socket-path=${socket}`,
      `--shared-dir=${directory}`,
      '--cache=auto',
      '--rlimit-nofile=0',
      '--sandbox=',
    ],
  })),
  {
    path: '/usr/lib/qemu/virtiofsd',
    arguments: (socket, directory) => [
      `--socket-path=${socket}`,
      '--rlimit-nofile=0',
      '-o',
      `source=${directory}`,
      '-o',
      'cache=auto',
      '-o',
      'sandbox=',
    ],
  },
];

/** The virtiofsd of this host; undefined where none is installed. */
export async function findVirtiofsd(
  programs: readonly VirtiofsdProgram[] = PROGRAMS,
): Promise<VirtiofsdProgram | undefined> {
  for (const program of programs)
    if (
      await access(program.path, constants.X_OK).then(
        () => true,
        () => false,
      )
    )
      return program;
  return undefined;
}

/** What to do about that. */
export const NO_PROGRAM =
  'this node has no virtiofsd, which filesystems need: install it on the node ' +
  '(Debian 13, Ubuntu 24.04 and newer: package virtiofsd; Debian 12: package qemu-system-common)';
