import { type ChildProcess, spawn } from 'node:child_process';
import { closeSync, openSync } from 'node:fs';
import { access, chmod, mkdir, readFile, writeFile } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { type Log, parseKey } from '@vireo/kube';
import { connect, type ReconnectingLibvirt } from '@vireo/libvirt';
import { hasAppArmor } from './appArmor.ts';
import { daemonPid } from './daemonPid.ts';
import { TPM_LOGS } from './domainLog.ts';
import { removeForgottenRuns, removeHalfStarts } from './halfStarts.ts';
import { isConfOf, libvirtdConf, type NodeLayout, qemuConf } from './layout.ts';
import { keepLogsBound } from './logBound.ts';
import { ensureQemuUser } from './qemuUser.ts';
import type { SessionNetwork } from './sessionNetwork.ts';

const START_TIMEOUT_MS = 60_000;
/** For a daemon that is there and says nothing. */
const ANSWER_MS = 10_000;
const POLL_MS = 50;
/** Where it tells what is wrong; what keeps it from starting comes last. */
const LOGS = ['libvirtd.log', 'start.log'];

/** What the daemon finds at its usual places is ours: they are hidden behind directories of the home. */
const PLACES: readonly (readonly [string, string])[] = [
  ['etc', '/etc/libvirt'],
  ['run', '/run/libvirt'],
  ['lib', '/var/lib/libvirt'],
  ['cache', '/var/cache/libvirt'],
  ['log', '/var/log/libvirt'],
  [TPM_LOGS, '/var/log/swtpm'],
];

/** What guests with a user of their own come through, to what libvirtd has for each of them. */
const PASSAGES = ['lib', 'lib/qemu', 'lib/qemu/ram'];
/** What they have no business in. libvirtd lets everybody look into what it makes itself. */
const CLOSED = [
  'run',
  ...['channel', 'checkpoint', 'dump', 'nvram', 'save', 'snapshot'].map((name) => `lib/qemu/${name}`),
];

/** The directory above them is closed to everybody else. */
export async function openToGuests({ isRoot, libvirt }: NodeLayout): Promise<void> {
  if (!isRoot) return;
  const modes = [...PASSAGES.map((name) => [name, 0o711] as const), ...CLOSED.map((name) => [name, 0o700] as const)];
  for (const [name, mode] of modes) {
    const path = join(libvirt, name);
    await mkdir(path, { recursive: true, mode });
    await chmod(path, mode);
  }
}

/**
 * systemd's register of machines takes every name once, whichever daemon it comes from. A daemon that cannot reach it
 * starts guests as on a host without systemd; their groups are ours to make.
 */
const NO_SYSTEM_BUS = { DBUS_SYSTEM_BUS_ADDRESS: 'unix:path=/dev/null' };

/** libvirtd cannot be started; the message has what it said last. */
export class LibvirtdUnavailable extends Error {
  override readonly name = 'LibvirtdUnavailable';
}

/**
 * Starts the node's own libvirtd, or finds the one of an earlier run, and starts it again when it dies. The daemon and
 * its guests belong to no process of ours: they go on when we end.
 */
export class LibvirtdSupervisor {
  readonly #layout: NodeLayout;
  readonly #isRoot: boolean;
  readonly #log: Log;
  readonly #answerMs: number;
  readonly #session: SessionNetwork | undefined;
  #starting: Promise<void> | undefined;
  #problem: string | undefined;

  /**
   * `answerMs`: how long a daemon that is there may be silent before another one takes its place. `session`: the network that an
   * ordinary user's daemon and guests are in; missing: the host's.
   */
  constructor(layout: NodeLayout, log: Log, answerMs: number = ANSWER_MS, session?: SessionNetwork) {
    this.#layout = layout;
    this.#isRoot = layout.isRoot;
    this.#log = log;
    this.#answerMs = answerMs;
    this.#session = session;
  }

  /** Why the daemon that is watched does not serve; undefined while it does. */
  get problem(): string | undefined {
    return this.#problem;
  }

  /** Starts the daemon again whenever the connection to it is lost, until `signal` aborts. Its logs stay small. */
  watch(libvirt: ReconnectingLibvirt, signal: AbortSignal): void {
    const onError = (error: unknown): void => this.#log.warn('cannot truncate a libvirtd log', undefined, { error });
    keepLogsBound(LOGS.map(this.#path), onError, signal);
    libvirt.on('connected', () => {
      this.#problem = undefined;
    });
    libvirt.on('disconnected', (error) => {
      this.#problem ??= `the connection to libvirtd is lost: ${error.message}`;
      if (signal.aborted || this.#starting) return;
      this.#log.warn('the connection to libvirtd is lost', undefined, { error: error.message });
      // The next failed attempt to connect brings us here again.
      this.ensureRunning().catch((failure: Error) => {
        this.#problem = `libvirtd cannot be started: ${lastLogLine(failure.message)}`;
        this.#log.error('libvirtd cannot be started', undefined, { error: failure });
      });
    });
  }

  /** Resolves when the daemon answers. Several callers share one start. */
  ensureRunning(): Promise<void> {
    this.#starting ??= this.#ensure().finally(() => {
      this.#starting = undefined;
    });
    return this.#starting;
  }

  /** Ends a daemon that answers and yet cannot go on. Whoever watches the connection starts the next one. */
  async replace(why: string): Promise<void> {
    const pid = await daemonPid(this.#layout);
    this.#log.warn('replacing libvirtd', undefined, { pid, why });
    await this.#end(pid);
  }

  /** Guests are not its children any more: they do not notice. Resolves when the process is gone. */
  async #end(pid: number | undefined): Promise<void> {
    if (pid === undefined) return;
    process.kill(pid, 'SIGKILL');
    while ((await daemonPid(this.#layout)) === pid) await new Promise((resolve) => setTimeout(resolve, POLL_MS));
  }

  async #ensure(): Promise<void> {
    const running = await daemonPid(this.#layout);
    // Its guests stay where they are; the next ones are in the network that they should be in.
    if (running !== undefined && (await this.#session?.isOutside(running))) await this.#end(running);
    const isAlive = async (): Promise<boolean> => (await daemonPid(this.#layout)) !== undefined;
    if (!(await isAlive())) {
      if (await this.#answers(this.#answerMs)) return;
    } else {
      // It was started and is still on its way, or it hangs.
      if (await this.#waitUntilItAnswers(this.#answerMs, isAlive)) return;
      const pid = await daemonPid(this.#layout);
      this.#log.warn('libvirtd does not respond; starting a new one', undefined, { pid });
      await this.#end(pid);
    }
    const lost = await removeHalfStarts(this.#layout);
    for (const name of lost) {
      const subject = { kind: 'VirtualMachineInstance', ...parseKey(name.replace('_', '/')) };
      this.#log.warn('libvirtd exited while it was starting a guest', subject);
    }
    await removeForgottenRuns(this.#layout);
    const before = await Promise.all(LOGS.map((name) => this.#read(name)));
    const child = await this.#start();
    const isStarting = async (): Promise<boolean> => child.exitCode === null && child.signalCode === null;
    if (!(await this.#waitUntilItAnswers(START_TIMEOUT_MS, isStarting)))
      throw new LibvirtdUnavailable(await this.#failure(before));
  }

  async #start(): Promise<ChildProcess> {
    const { libvirt, run } = this.#layout;
    await mkdir(run, { recursive: true, mode: 0o700 });
    const directories = this.#isRoot ? PLACES.map(([name]) => name) : ['etc/libvirt', 'cache', 'data', 'log'];
    for (const name of directories) await mkdir(join(libvirt, name), { recursive: true, mode: 0o700 });
    await openToGuests(this.#layout);
    const etc = join(libvirt, this.#isRoot ? 'etc' : 'etc/libvirt');
    const conf = join(etc, 'libvirtd.conf');
    const found = await readFile(conf, 'utf8').catch(() => '');
    if (!isConfOf(this.#layout, found)) {
      const [, hostUuid] = /^host_uuid = "(.*)"$/m.exec(found) ?? [];
      await writeFile(conf, libvirtdConf(this.#layout, hostUuid), { mode: 0o600 });
    }
    await writeFile(join(etc, 'qemu.conf'), qemuConf(this.#layout, await hasAppArmor()), { mode: 0o600 });
    const [program, ...args] = this.#isRoot ? await this.#asRoot() : await this.#asUser();
    const output = openSync(join(libvirt, 'log', 'start.log'), 'a', 0o600);
    const child = spawn(program as string, args, {
      detached: true,
      stdio: ['ignore', output, output],
      env: { ...process.env, ...(this.#isRoot ? NO_SYSTEM_BUS : this.#userEnvironment()) },
    });
    child.on('error', (error) => this.#log.error('cannot start libvirtd', undefined, { error }));
    child.unref();
    closeSync(output);
    return child;
  }

  async #asRoot(): Promise<string[]> {
    await ensureQemuUser();
    for (const [, place] of PLACES) await mkdir(place, { recursive: true });
    const mounts = PLACES.map(([name, place]) => `mount --bind "$1/${name}" ${place}`).join(' && ');
    const daemon = `libvirtd --config /etc/libvirt/libvirtd.conf --pid-file "$1/libvirtd.pid"`;
    const script = `${mounts} && exec ${await reaperCommand()} ${daemon}`;
    return ['unshare', '--mount', '--propagation=private', 'sh', '-c', script, 'sh', this.#layout.libvirt];
  }

  async #asUser(): Promise<string[]> {
    const script = `exec ${await reaperCommand()} libvirtd --pid-file "$1/libvirtd.pid"`;
    return [...((await this.#session?.enter()) ?? []), 'sh', '-c', script, 'sh', this.#layout.libvirt];
  }

  #userEnvironment(): Record<string, string> {
    const { libvirt, run } = this.#layout;
    return {
      PATH: `${process.env.PATH}:/usr/sbin`,
      XDG_RUNTIME_DIR: run,
      XDG_CONFIG_HOME: join(libvirt, 'etc'),
      XDG_CACHE_HOME: join(libvirt, 'cache'),
      XDG_DATA_HOME: join(libvirt, 'data'),
    };
  }

  async #answers(connectTimeoutMs: number): Promise<boolean> {
    try {
      const { libvirtSocket: socket, uri } = this.#layout;
      // One that hangs takes connections, and leaves it at that.
      const client = await connect({ socket, uri, connectTimeoutMs });
      await client.close();
      return true;
    } catch {
      return false;
    }
  }

  async #waitUntilItAnswers(timeoutMs: number, hasHope: () => Promise<boolean>): Promise<boolean> {
    for (const deadline = Date.now() + timeoutMs; Date.now() < deadline; ) {
      if (await this.#answers(timeoutMs)) return true;
      if (!(await hasHope())) return false;
      await new Promise((resolve) => setTimeout(resolve, POLL_MS));
    }
    return false;
  }

  /** What the logs have got since. */
  async #failure(before: readonly string[]): Promise<string> {
    const texts = await Promise.all(
      LOGS.map(async (name, index) => (await this.#read(name)).slice(before[index]?.length)),
    );
    const lines = texts.join('\n').trim().split('\n').slice(-10);
    return `libvirtd does not respond on ${this.#layout.libvirtSocket}:\n${lines.join('\n')}`;
  }

  #read(log: string): Promise<string> {
    return readFile(this.#path(log), 'utf8').catch(() => '');
  }

  #path = (log: string): string => join(this.#layout.libvirt, 'log', log);
}

/** The last line of a log without its time and place, which differ at every try. */
export const lastLogLine = (text: string): string =>
  (text.trim().split('\n').at(-1) ?? '').replace(/^[\d-]+ [\d:.+]+: \d+: \w+ : (?:\S+:\d+ : )?/, '');

/**
 * Guests are children of nobody once libvirtd has let go of them. Where the host's first process is slow to collect
 * the dead, every stop would wait for it, so tini does it, where it is installed.
 */
async function reaperCommand(): Promise<string> {
  for (const directory of (process.env.PATH ?? '').split(delimiter))
    if (
      await access(join(directory, 'tini')).then(
        () => true,
        () => false,
      )
    )
      return `${join(directory, 'tini')} -s --`;
  return '';
}
