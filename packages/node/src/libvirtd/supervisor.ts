import { type ChildProcess, spawn } from 'node:child_process';
import { closeSync, existsSync, openSync } from 'node:fs';
import { access, mkdir, readFile, writeFile } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import type { Log } from '@vireo/kube';
import { connect, type ReconnectingLibvirt } from '@vireo/libvirt';
import { daemonPid } from './daemonPid.ts';
import { TPM_LOGS } from './domainLog.ts';
import { libvirtdConf, type NodeLayout, qemuConf } from './layout.ts';
import { ensureQemuUser } from './qemuUser.ts';

const START_TIMEOUT_MS = 60_000;
/** For a daemon that is there and says nothing. */
const PATIENCE_MS = 10_000;
const POLL_MS = 50;

/** What the daemon finds at its usual places is ours: they are hidden behind directories of the home. */
const PLACES: readonly (readonly [string, string])[] = [
  ['etc', '/etc/libvirt'],
  ['run', '/run/libvirt'],
  ['lib', '/var/lib/libvirt'],
  ['cache', '/var/cache/libvirt'],
  ['log', '/var/log/libvirt'],
  [TPM_LOGS, '/var/log/swtpm'],
];

/**
 * Starts the node's own libvirtd, or finds the one of an earlier run, and starts it again when it dies. The daemon and
 * its guests belong to no process of ours: they go on when we end.
 */
export class LibvirtdSupervisor {
  readonly #layout: NodeLayout;
  readonly #isRoot: boolean;
  readonly #log: Log;
  #starting: Promise<void> | undefined;

  constructor(layout: NodeLayout, log: Log) {
    this.#layout = layout;
    this.#isRoot = layout.isRoot;
    this.#log = log;
  }

  /** Starts the daemon again whenever the connection to it is lost, until `signal` aborts. */
  watch(libvirt: ReconnectingLibvirt, signal: AbortSignal): void {
    libvirt.on('disconnected', (error) => {
      if (signal.aborted || this.#starting) return;
      this.#log.warn('the connection to libvirtd is lost', { error: error.message });
      // The next failed attempt to connect brings us here again.
      this.ensureRunning().catch((failure: Error) => this.#log.error('libvirtd cannot be started', { error: failure }));
    });
  }

  /** Resolves when the daemon answers. Several callers share one start. */
  ensureRunning(): Promise<void> {
    this.#starting ??= this.#ensure().finally(() => {
      this.#starting = undefined;
    });
    return this.#starting;
  }

  async #ensure(): Promise<void> {
    if (await this.#answers()) return;
    const isAlive = async (): Promise<boolean> => (await daemonPid(this.#layout)) !== undefined;
    if (await isAlive()) {
      // It was started and is still on its way, or it hangs.
      if (await this.#waitUntilItAnswers(PATIENCE_MS, isAlive)) return;
      const pid = await daemonPid(this.#layout);
      this.#log.warn('libvirtd does not answer; starting another one', { pid });
      // Guests are not its children any more: they do not notice.
      if (pid !== undefined) process.kill(pid, 'SIGKILL');
    }
    const child = await this.#start();
    const isStarting = async (): Promise<boolean> => child.exitCode === null && child.signalCode === null;
    if (!(await this.#waitUntilItAnswers(START_TIMEOUT_MS, isStarting))) throw new Error(await this.#failure());
  }

  async #start(): Promise<ChildProcess> {
    const { libvirt, run } = this.#layout;
    await mkdir(run, { recursive: true, mode: 0o700 });
    const directories = this.#isRoot ? PLACES.map(([name]) => name) : ['etc/libvirt', 'cache', 'data', 'log'];
    for (const name of directories) await mkdir(join(libvirt, name), { recursive: true, mode: 0o700 });
    const etc = join(libvirt, this.#isRoot ? 'etc' : 'etc/libvirt');
    if (!existsSync(join(etc, 'libvirtd.conf')))
      await writeFile(join(etc, 'libvirtd.conf'), libvirtdConf(this.#layout), { mode: 0o600 });
    await writeFile(join(etc, 'qemu.conf'), qemuConf(this.#layout), { mode: 0o600 });
    const [program, ...args] = this.#isRoot ? await this.#asRoot() : await this.#asUser();
    const output = openSync(join(libvirt, 'log', 'start.log'), 'a', 0o600);
    const child = spawn(program as string, args, {
      detached: true,
      stdio: ['ignore', output, output],
      env: { ...process.env, ...(this.#isRoot ? {} : this.#userEnvironment()) },
    });
    child.on('error', (error) => this.#log.error('cannot start libvirtd', { error }));
    child.unref();
    closeSync(output);
    return child;
  }

  async #asRoot(): Promise<string[]> {
    await ensureQemuUser();
    for (const [, place] of PLACES) await mkdir(place, { recursive: true });
    const mounts = PLACES.map(([name, place]) => `mount --bind "$1/${name}" ${place}`).join(' && ');
    const daemon = `libvirtd --config /etc/libvirt/libvirtd.conf --pid-file "$1/libvirtd.pid"`;
    const script = `${mounts} && exec ${await reaper()} ${daemon}`;
    return ['unshare', '--mount', '--propagation=private', 'sh', '-c', script, 'sh', this.#layout.libvirt];
  }

  async #asUser(): Promise<string[]> {
    const script = `exec ${await reaper()} libvirtd --pid-file "$1/libvirtd.pid"`;
    return ['sh', '-c', script, 'sh', this.#layout.libvirt];
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

  async #answers(): Promise<boolean> {
    try {
      const client = await connect({ socket: this.#layout.libvirtSocket, uri: this.#layout.uri });
      await client.close();
      return true;
    } catch {
      return false;
    }
  }

  async #waitUntilItAnswers(patienceMs: number, hasHope: () => Promise<boolean>): Promise<boolean> {
    for (const deadline = Date.now() + patienceMs; Date.now() < deadline; ) {
      if (await this.#answers()) return true;
      if (!(await hasHope())) return false;
      await new Promise((resolve) => setTimeout(resolve, POLL_MS));
    }
    return false;
  }

  async #failure(): Promise<string> {
    const read = (name: string): Promise<string> =>
      readFile(join(this.#layout.libvirt, 'log', name), 'utf8').catch(() => '');
    const texts = [await read('start.log'), await read('libvirtd.log')].join('\n').trim().split('\n').slice(-10);
    return `libvirtd does not answer on ${this.#layout.libvirtSocket}:\n${texts.join('\n')}`;
  }
}

/**
 * Guests are children of nobody once libvirtd has let go of them. Where the machine's first process is slow to collect
 * the dead, every stop would wait for it, so tini does it, where it is installed.
 */
async function reaper(): Promise<string> {
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
