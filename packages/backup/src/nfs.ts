import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readdir, readFile, rmdir } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { type DirectoryOptions, DirectoryStore } from './directory.ts';
import { TargetUnusable } from './store.ts';
import type { NfsExport } from './target.ts';

const run = promisify(execFile);

const MOUNT_MS = 60_000;
/** A server that is gone must not hold up whoever asks it for ever. The last ones count: nobody overrides them. */
const OPTIONS = ['soft', 'timeo=300', 'retrans=2', 'retry=0'];
const FIXED_OPTIONS = ['nosuid', 'nodev', 'noexec'];
/** `mount.nfs` does not know that one. */
const WITHOUT_LINKS = ['remount', 'bind', ...FIXED_OPTIONS, 'nosymfollow'];

/** Mounts the directory of a server for as long as the store is open. Only root can do that. */
export async function openNfs(
  { server, path, options }: NfsExport,
  { runtimeDirectory, ...rest }: DirectoryOptions & { readonly runtimeDirectory: string },
): Promise<DirectoryStore> {
  const { description } = rest;
  if (process.getuid?.() !== 0)
    throw new TargetUnusable(`${description}: only root can mount it. Mount it on every host, and use type directory`);
  const mounts = join(runtimeDirectory, 'backup-targets');
  await mkdir(mounts, { recursive: true, mode: 0o700 });
  await unmountLeftovers(mounts);
  const place = await mkdtemp(join(mounts, `${process.pid}-`));
  const all = [...OPTIONS, ...options.split(',').filter(Boolean), ...FIXED_OPTIONS].join(',');
  try {
    await run('mount', ['-t', 'nfs4', '-o', all, '--', `${server}:${path}`, place], { timeout: MOUNT_MS });
  } catch (error) {
    await rmdir(place).catch(() => {});
    throw new TargetUnusable(`${description} cannot be mounted: ${mountProblem(error)}`, { cause: error });
  }
  // Kernels before 5.10 cannot do that. The store follows no links anyway; with it the kernel does not, either.
  await run('mount', ['-o', WITHOUT_LINKS.join(','), '--', place], { timeout: MOUNT_MS }).catch(() => {});
  return new MountedStore(place, rest);
}

class MountedStore extends DirectoryStore {
  readonly #place: string;

  constructor(place: string, options: DirectoryOptions) {
    super(place, options);
    this.#place = place;
  }

  override async close(): Promise<void> {
    await unmount(this.#place);
  }
}

/** What processes that are no more have left mounted. */
async function unmountLeftovers(mounts: string): Promise<void> {
  for (const name of await readdir(mounts)) {
    const pid = Number(name.split('-')[0]);
    if (pid !== process.pid && !(await isAlive(pid))) await unmount(join(mounts, name)).catch(() => {});
  }
}

const isAlive = (pid: number): Promise<boolean> =>
  readFile(`/proc/${pid}/comm`).then(
    () => true,
    () => false,
  );

async function unmount(place: string): Promise<void> {
  // Lazily where the server is gone: nobody uses it any more.
  await run('umount', ['--', place], { timeout: MOUNT_MS }).catch(() => run('umount', ['--lazy', '--', place]));
  await rmdir(place);
}

function mountProblem(error: unknown): string {
  const { code, stderr = '', killed, message } = error as NodeJS.ErrnoException & { stderr?: string; killed?: boolean };
  if (killed) return 'the server does not answer';
  if (code === 'ENOENT' || /bad option|helper program/.test(stderr))
    return 'mount.nfs is missing on this host: apt-get install nfs-common';
  return stderr.trim().replaceAll(/\s+/g, ' ') || message;
}
