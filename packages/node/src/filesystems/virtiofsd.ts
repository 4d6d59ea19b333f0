import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, chown, mkdir, open, readdir, readFile, readlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { VolumeError } from '../disks/volumeError.ts';
import { O_PATH_NOFOLLOW } from '../guests/ownFile.ts';
import { outputExcerpt } from '../volumes/program.ts';
import { type Confinement, confinedCommand, SOCKET } from './confine.ts';
import { idMap } from './owner.ts';

/** A virtiofsd that was started: it serves one connection, and ends with it. */
export interface Daemon {
  readonly pid: number;
  /** When the kernel started it: the next process of the same pid has another time. */
  readonly startedAt: string;
  readonly socket: string;
}

export interface DaemonOptions extends Omit<Confinement, 'stage' | 'sockets'> {
  /** What it is called in messages. */
  readonly name: string;
  /** A directory for it alone; its path must be short. */
  readonly place: string;
  /** Where what it prints goes. */
  readonly log: string;
  /** Who may connect; undefined: only whoever it runs as, and root. */
  readonly user?: User | undefined;
  /** Called before it does anything: it must be known to whoever ends it. */
  readonly onSpawn: (daemon: Daemon) => Promise<void>;
  readonly onExit: () => void;
}

const START_MS = 30_000;
const POLL_MS = 5;

/** Starts a virtiofsd that ends when we do not: guests outlive us. Resolves when it listens. */
export async function startDaemon(options: DaemonOptions): Promise<void> {
  const { place, owner, user } = options;
  const [stage, sockets] = [join(place, 'r'), join(place, 's')];
  for (const directory of [stage, sockets]) await mkdir(directory, { mode: 0o711 });
  if (owner) await chown(sockets, owner.uid, owner.gid);
  const log = await open(options.log, 'a', 0o600);
  const [program = '', ...words] = confinedCommand({ ...options, stage, sockets });
  const child = spawn(program, words, { detached: true, stdio: ['pipe', 'pipe', log.fd], cwd: '/' });
  try {
    await once(child, 'spawn');
    child.stdin?.on('error', () => {});
    const socket = join(sockets, SOCKET);
    const pid = child.pid as number;
    await options.onSpawn({ pid, startedAt: (await startTime(pid)) ?? '', socket });
    if (owner) await mapUsers(child, idMap(owner.uid, owner), idMap(owner.gid, owner));
    child.stdin?.end('\n');
    await untilListening(child);
    if (owner && user) await giveSocket(socket, owner, user);
    child.once('exit', options.onExit);
    child.stdin?.destroy();
    child.stdout?.destroy();
    child.unref();
  } catch (error) {
    if (child.pid !== undefined) killGroup(child.pid);
    const said = outputExcerpt((await endOf(options.log)).split('\n').slice(-4).join('\n'));
    const why = [(error as Error).message, said].filter(Boolean).join(': ');
    throw new VolumeError('CreateContainerError', `filesystem ${JSON.stringify(options.name)}: ${why}`, {
      cause: error,
    });
  } finally {
    await log.close();
  }
}

interface User {
  readonly uid: number;
  readonly gid: number;
}

/** Lets nobody but a user connect. The directory of the socket is its owner's, who can put links to anything there. */
export async function giveSocket(path: string, owner: User, user: User): Promise<void> {
  const socket = await open(path, O_PATH_NOFOLLOW);
  try {
    const found = await socket.stat();
    if (!found.isSocket() || found.uid !== owner.uid || found.nlink !== 1)
      throw new Error(`${path} is not the socket of virtiofsd`);
    const itself = `/proc/self/fd/${socket.fd}`;
    await chmod(itself, 0o600);
    await chown(itself, user.uid, user.gid);
  } finally {
    await socket.close();
  }
}

const EXCERPT_BYTES = 4096;

/** The last words of a log. */
async function endOf(path: string): Promise<string> {
  const log = await open(path);
  try {
    const { size } = await log.stat();
    const start = Math.max(0, size - EXCERPT_BYTES);
    const { buffer, bytesRead } = await log.read(Buffer.alloc(EXCERPT_BYTES), 0, EXCERPT_BYTES, start);
    return buffer.toString('utf8', 0, bytesRead);
  } finally {
    await log.close();
  }
}

/** Says which users a process has that waits for that. Only root can, from outside of the process. */
async function mapUsers(child: ChildProcess, uids: string, gids: string): Promise<void> {
  const { stdout, pid } = child;
  if (!stdout) throw new Error('virtiofsd has no pipes');
  const lines = createInterface({ input: stdout });
  const ended = new AbortController();
  const timer = setTimeout(() => ended.abort(), START_MS);
  child.once('exit', () => ended.abort());
  if (hasExited(child)) ended.abort();
  try {
    await once(lines, 'line', { signal: ended.signal });
    await writeFile(`/proc/${pid}/uid_map`, uids);
    await writeFile(`/proc/${pid}/gid_map`, gids);
  } catch (error) {
    throw ended.signal.aborted ? new Error('virtiofsd cannot be confined', { cause: error }) : error;
  } finally {
    clearTimeout(timer);
    lines.close();
  }
}

const hasExited = ({ exitCode, signalCode }: ChildProcess): boolean => exitCode !== null || signalCode !== null;

async function untilListening(child: ChildProcess): Promise<void> {
  for (const deadline = Date.now() + START_MS; Date.now() < deadline; ) {
    if (hasExited(child)) throw new Error(`virtiofsd exited with ${child.exitCode ?? child.signalCode}`);
    if (await isListening(child.pid as number)) return;
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
  }
  throw new Error(`virtiofsd does not listen after ${START_MS / 1000} s`);
}

/**
 * Whether a virtiofsd listens, as the kernel tells: nobody has connected to it yet. The one in Rust listens in a child,
 * which has left the network that its socket is known in: ours.
 */
export async function isListening(pid: number): Promise<boolean> {
  const children = await readFile(`/proc/${pid}/task/${pid}/children`, 'utf8').catch(() => '');
  const pids = [pid, ...children.split(' ').filter(Boolean)];
  const listening = new Set((await Promise.all(['self', ...pids].map(listeningSockets))).flat());
  if (listening.size === 0) return false;
  const open = (await Promise.all(pids.map(openSockets))).flat();
  return open.some((inode) => listening.has(inode));
}

/** The inodes of the unix sockets that anybody listens on in the network of a process. */
async function listeningSockets(pid: number | string): Promise<string[]> {
  const lines = (await readFile(`/proc/${pid}/net/unix`, 'utf8').catch(() => '')).split('\n').slice(1);
  return lines
    .map((line) => line.split(/\s+/))
    .flatMap((fields) => (fields[3] === '00010000' ? (fields[6] ?? []) : []));
}

/** The inodes of the sockets that a process has open. */
async function openSockets(pid: number | string): Promise<string[]> {
  const names = await readdir(`/proc/${pid}/fd`).catch(() => []);
  const targets = await Promise.all(names.map((name) => readlink(`/proc/${pid}/fd/${name}`).catch(() => '')));
  return targets.flatMap((target) => /^socket:\[(\d+)\]$/.exec(target)?.[1] ?? []);
}

/** When a process was started, in the kernel's ticks; undefined where there is none. A dead one that nobody has collected is none. */
async function startTime(pid: number): Promise<string | undefined> {
  const text = await readFile(`/proc/${pid}/stat`, 'latin1').catch(() => '');
  const [state, ...fields] = text.slice(text.lastIndexOf(')') + 2).split(' ');
  return text === '' || state === 'Z' || state === 'X' ? undefined : fields[18];
}

export const isAlive = async ({ pid, startedAt }: Daemon): Promise<boolean> => (await startTime(pid)) === startedAt;

/** Ends a virtiofsd, if it is still there: one that nobody has connected to would wait for ever. */
export async function stopDaemon(daemon: Daemon): Promise<void> {
  if (!(await isAlive(daemon))) return;
  killGroup(daemon.pid);
}

/** It consists of two processes once somebody has connected; the one in Rust even before. */
function killGroup(pid: number): void {
  for (const target of [-pid, pid])
    try {
      process.kill(target, 'SIGKILL');
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
    }
}
