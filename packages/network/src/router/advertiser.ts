import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { device, port } from '../text.ts';
import { type Router, routerAdvertisement } from './message.ts';

const PROGRAM = fileURLToPath(new URL('./advertise.pl', import.meta.url));
/** Often enough for a guest that has missed one, seldom enough to cost nothing. */
const INTERVAL_SECONDS = 600;
const RESTART_MS = 1_000;

export interface AdvertiserOptions {
  readonly onError: (error: unknown) => void;
}

/** Tells guests that this node is their router: at once when one asks, and every few minutes. */
export class RouterAdvertiser implements AsyncDisposable {
  readonly #options: AdvertiserOptions;
  /** By device: what begins with it. */
  readonly #devices = new Map<string, string>();
  #child: ChildProcess | undefined;
  #restart: NodeJS.Timeout | undefined;
  #isDisposed = false;

  constructor(options: AdvertiserOptions) {
    this.#options = options;
    this.#start();
  }

  /** Begins with a device, which is there already. `number`: of a card whose solicitations come by the loopback device. */
  add(name: string, router: Router, number?: number): void {
    const message = routerAdvertisement(router).toString('hex');
    const line = `+${device(name)} ${message}${number === undefined ? '' : ` ${port(number)}`}`;
    this.#devices.set(name, line);
    this.#tell(line);
  }

  remove(name: string): void {
    if (this.#devices.delete(name)) this.#tell(`-${name}`);
  }

  #tell(line: string): void {
    this.#child?.stdin?.write(`${line}\n`);
  }

  #start(): void {
    const child = spawn('perl', [PROGRAM, String(INTERVAL_SECONDS)], { stdio: ['pipe', 'ignore', 'pipe'] });
    this.#child = child;
    // A program that has ended says why itself.
    child.stdin.on('error', () => {});
    let text = '';
    child.stderr.setEncoding('utf8').on('data', (part: string) => {
      text = (text + part).slice(-1_000);
    });
    child.on('error', this.#options.onError);
    child.on('close', (code, signal) => {
      if (this.#isDisposed) return;
      this.#options.onError(new Error(`router advertisements ended (${signal ?? code}): ${text.trim()}`));
      this.#restart = setTimeout(() => this.#start(), RESTART_MS);
    });
    for (const line of this.#devices.values()) this.#tell(line);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#isDisposed = true;
    clearTimeout(this.#restart);
    const child = this.#child;
    if (!child || child.exitCode !== null || child.signalCode !== null || child.pid === undefined) return;
    const ended = once(child, 'close');
    child.stdin?.end();
    await ended;
  }
}
