import { spawn } from 'node:child_process';
import { closeSync, openSync, readFileSync, rmSync } from 'node:fs';
import { basename, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type { NodeLayout } from '../libvirtd/layout.ts';
import { bootId, bootTimeMs } from './bootTime.ts';
import { deadManFiles, type Ended, type Heartbeat, readState, type Tick, writeState } from './deadManState.ts';

/** A process that has not looked for so long is taken for dead, or stopped. */
const STALE_TICK_MS = 5_000;
const START_TIMEOUT_MS = 5_000;
const POLL_MS = 50;
/** It needs next to nothing. */
const NODE_FLAGS = [
  '--max-old-space-size=16',
  '--max-semi-space-size=1',
  '--v8-pool-size=0',
  '--disable-warning=ExperimentalWarning',
];
const script = fileURLToPath(new URL('./deadManProcess.ts', import.meta.url));

/** The agent's side of the dead-man process of its node. */
export class DeadMan {
  readonly #layout: Pick<NodeLayout, 'run' | 'vmis'>;
  readonly #files;

  constructor(layout: Pick<NodeLayout, 'run' | 'vmis'>) {
    this.#layout = layout;
    this.#files = deadManFiles(layout.run);
  }

  /** What it goes by; undefined where it does not run. */
  get heartbeat(): Heartbeat | undefined {
    const heartbeat = readState<Heartbeat>(this.#files.heartbeat);
    return heartbeat && !heartbeat.isDisarmed && heartbeat.bootId === bootId() ? heartbeat : undefined;
  }

  /** Whether it looks at what it was told. */
  isAlive(nowMs = bootTimeMs()): boolean {
    const tick = readState<Tick>(this.#files.tick);
    const isFresh = tick !== undefined && tick.bootId === bootId() && nowMs - tick.atMs <= STALE_TICK_MS;
    // Until its tick is stale, one that was killed would pass for alive.
    return isFresh && this.#isRunning(tick.pid);
  }

  /** Whether a process is the dead-man process of this node: another may have its id by now. */
  #isRunning(pid: number): boolean {
    try {
      const line = readFileSync(`/proc/${pid}/cmdline`, 'latin1').split('\0');
      // That of another version has another path.
      return line.some((word) => basename(word) === basename(script)) && line.includes(this.#layout.run);
    } catch (error) {
      if (['ENOENT', 'ESRCH'].includes((error as NodeJS.ErrnoException).code ?? '')) return false;
      throw error;
    }
  }

  /** Starts it, unless it runs; guests may run for `stopAfterMs` from now on, or for as long as it was told before. */
  async arm(stopAfterMs: number): Promise<void> {
    if (!this.heartbeat) this.acknowledge(bootTimeMs(), stopAfterMs);
    if (this.isAlive()) return;
    let failure: Error | undefined;
    const log = openSync(join(this.#layout.run, 'dead-man.log'), 'a', 0o600);
    try {
      const { run, vmis } = this.#layout;
      const options = { detached: true, cwd: '/', stdio: ['ignore', log, log] as ['ignore', number, number] };
      const child = spawn(process.execPath, [...NODE_FLAGS, script, run, vmis], options);
      child.once('error', (error) => {
        failure = error;
      });
      child.unref();
    } finally {
      closeSync(log);
    }
    for (let waitedMs = 0; !this.isAlive(); waitedMs += POLL_MS) {
      if (failure) throw failure;
      if (waitedMs >= START_TIMEOUT_MS)
        throw new Error(`the dead-man process does not start: see ${join(this.#layout.run, 'dead-man.log')}`);
      await delay(POLL_MS);
    }
  }

  /** Starts the process again if it was armed and is gone: the promise of the last renewal still holds. */
  async resume(): Promise<void> {
    const { heartbeat } = this;
    if (heartbeat) await this.arm(heartbeat.stopAfterMs);
  }

  /** A renewal that was sent at that moment has been acknowledged. */
  acknowledge(sentAtMs: number, stopAfterMs: number): void {
    writeState(this.#files.heartbeat, { bootId: bootId(), sentAtMs, stopAfterMs });
  }

  /** Less time than before: at once, for a promise must not be kept late. */
  shorten(stopAfterMs: number): void {
    const { heartbeat } = this;
    if (heartbeat && heartbeat.stopAfterMs > stopAfterMs) this.acknowledge(heartbeat.sentAtMs, stopAfterMs);
  }

  /** Ends it; guests go on whatever the server hears. */
  disarm(): void {
    const { heartbeat } = this;
    if (heartbeat) writeState(this.#files.heartbeat, { ...heartbeat, isDisarmed: true });
  }

  /** Disarms the process and has it gone at once; for a node that ends, when its guests have. */
  stop(): void {
    this.disarm();
    const tick = readState<Tick>(this.#files.tick);
    if (!tick || tick.bootId !== bootId()) return;
    try {
      if (this.#isRunning(tick.pid)) process.kill(tick.pid, 'SIGTERM');
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
    }
  }

  /** What it has ended, until that is forgotten. */
  get ended(): Ended | undefined {
    return readState<Ended>(this.#files.ended);
  }

  forgetEnded(): void {
    rmSync(this.#files.ended, { force: true });
  }
}
