import { lstat, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { VirtualMachineInstance } from '@vireo/api/kinds/kubevirt/virtualMachineInstance.ts';
import { socketsOf } from '../e2e/vms/leftovers.ts';
import type { Part } from './part.ts';

/** A file, directory or socket as it lies there. */
export interface Entry {
  readonly path: string;
  readonly type: 'file' | 'directory' | 'socket' | 'link' | 'other';
  readonly mode: number;
  readonly uid: number;
  /** Whether a directory above it, below the root that is looked at, keeps everybody else out. */
  readonly isEnclosed: boolean;
}

const PUBLIC = /\.crt$/;
const ANYBODY_WRITES = 0o002;
const OTHERS_WRITE = 0o022;
const OTHERS_ANYTHING = 0o077;
const GROUP_PASSES = 0o010;

/** Who runs the server, and who its guests are, where they have users of their own. */
export interface Users {
  readonly own: number;
  readonly guests: ReadonlySet<number>;
}

/** Whether nobody else can come in. Guests can pass where root lets them: what they reach is the part `breakout`. */
const isClosed = (mode: number, own: number): boolean =>
  (mode & OTHERS_ANYTHING & ~(own === 0 ? GROUP_PASSES : 0)) === 0;

/** What is wrong with an entry; undefined: nothing. */
export function modeProblem({ path, type, mode, uid, isEnclosed }: Entry, users: Users): string | undefined {
  const what = `${path} (${type}, ${(mode & 0o7777).toString(8).padStart(4, '0')})`;
  if (type === 'link') return undefined;
  // Those of guests are where others cannot come in.
  if (uid !== users.own && !(isEnclosed && users.guests.has(uid)))
    return `${what} belongs to user ${uid}, not to ${users.own} who runs the server`;
  if ((mode & ANYBODY_WRITES) !== 0) return `${what} can be written by anybody`;
  // libvirt makes some of its own as it likes; where nobody else can come in, that is no harm.
  if (isEnclosed && type !== 'file') return undefined;
  if (type === 'file' && (mode & OTHERS_WRITE) !== 0) return `${what} can be written by others`;
  if (isEnclosed || PUBLIC.test(path)) return undefined;
  if (type === 'directory' ? !isClosed(mode, users.own) : (mode & OTHERS_ANYTHING) !== 0)
    return `${what} is open to others, and so is what is in it`;
  return undefined;
}

/** What can be read by others although only its own mode should keep it: keys, tokens and the store are never shared. */
const SECRETS =
  /(\.key|kubeconfig|store\.db(-wal|-shm)?|tokens\.csv|vireo\.log|server\.json|userdata|cloud-init|\.iso)$/;

/** Everything below a root. */
export async function entriesBelow(root: string): Promise<Entry[]> {
  const own = process.getuid?.() ?? 0;
  const found: Entry[] = [];
  const visit = async (path: string, isEnclosed: boolean): Promise<void> => {
    const stat = await lstat(path).catch(() => undefined);
    // What is there for a moment only, as drafts of files are.
    if (!stat) return;
    const type = stat.isDirectory()
      ? 'directory'
      : stat.isFile()
        ? 'file'
        : stat.isSocket()
          ? 'socket'
          : stat.isSymbolicLink()
            ? 'link'
            : 'other';
    found.push({ path, type, mode: stat.mode, uid: stat.uid, isEnclosed });
    if (type !== 'directory') return;
    const names = await readdir(path).catch(() => []);
    for (const name of names) await visit(join(path, name), isEnclosed || isClosed(stat.mode, own));
  };
  await visit(root, false);
  return found;
}

export const files: Part = {
  name: 'files',
  about: 'mode and owner of every file and socket in the home; no other user can read secrets',
  async run(ground, trial) {
    const vmis = (await ground.client.of(VirtualMachineInstance).list()).items;
    const guests = new Set(vmis.flatMap(({ status }) => status?.runtimeUser || []));
    const users = { own: process.getuid?.() ?? 0, guests };
    const entries = [...(await entriesBelow(ground.home)), ...(await entriesBelow(socketsOf(ground.home)))];
    for (const entry of entries) {
      trial.check(modeProblem(entry, users));
      if (entry.type === 'file' && SECRETS.test(entry.path))
        trial.check(
          (entry.mode & OTHERS_ANYTHING) === 0 ? undefined : `${entry.path} is a secret that others can read`,
        );
    }
    trial.progress(`${entries.length} files, directories and sockets`);
  },
};
