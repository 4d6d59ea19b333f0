import { retryDelayMs } from '../decisions/connection.ts';
import {
  type Closed,
  type ConsoleKind,
  endOfRefusal,
  MAYBE_OCCUPIED,
  type StreamEnd,
  streamEnd,
} from '../decisions/consoles/streamEnd.ts';
import { Refused } from './refused.ts';

export type Phase =
  | { readonly kind: 'connecting' }
  | { readonly kind: 'connected' }
  | { readonly kind: 'ended'; readonly end: StreamEnd };

interface Options {
  readonly kind: ConsoleKind;
  readonly path: string;
  readonly open: (path: string) => WebSocket;
  /** Asks without an upgrade; rejects with the server's words. */
  readonly ask: (path: string) => Promise<unknown>;
  /** Uses a new WebSocket; calls `ready` when the guest is there. Returns what ends the use. */
  readonly attach: (socket: WebSocket, ready: () => void) => () => void;
  readonly onPhase: (phase: Phase) => void;
}

/** A page that is left and comes again may meet its own last connection: it is gone a moment later. */
const POLITE_TRIES = 3;
const POLITE_DELAY_MS = 400;

/**
 * Keeps a console or screen connected: again after a cut or a restart of the guest, but not against somebody who took it
 * over. Screens are asked for politely at first; the user decides whether to take one over.
 */
export class GuestConnection {
  readonly #options: Options;
  #isReachable: boolean;
  #isClosed = false;
  #phase: Phase = { kind: 'connecting' };
  #attempt = 0;
  #refusals = 0;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #drop = (): void => {};

  constructor(options: Options, isReachable: boolean) {
    this.#options = options;
    this.#isReachable = isReachable;
    if (isReachable) this.connect();
    else this.#end({ code: 1006, reason: '' }, false);
  }

  /** Connects now; `takesOver`: even if somebody else has it. */
  connect(takesOver = false): void {
    if (this.#isClosed) return;
    this.#drop();
    const isPolite = this.#options.kind === 'screen' && !takesOver;
    const path = `${this.#options.path}${isPolite ? '?preserveSession=true' : ''}`;
    this.#tell({ kind: 'connecting' });
    const socket = this.#options.open(path);
    socket.binaryType = 'arraybuffer';
    let wasOpen = false;
    const detach = this.#options.attach(socket, () => {
      this.#attempt = 0;
      this.#refusals = 0;
      this.#tell({ kind: 'connected' });
    });
    const onOpen = (): void => {
      wasOpen = true;
    };
    const onClose = ({ code, reason }: CloseEvent): void => {
      this.#drop();
      if (wasOpen || code !== 1006) this.#end({ code, reason }, isPolite);
      else void this.#explain(path, isPolite);
    };
    socket.addEventListener('open', onOpen);
    socket.addEventListener('close', onClose);
    this.#drop = () => {
      this.#drop = () => {};
      clearTimeout(this.#timer);
      socket.removeEventListener('open', onOpen);
      socket.removeEventListener('close', onClose);
      detach();
      socket.close();
    };
  }

  /** A machine that begins to run is connected to at once; what is connected stays so until it ends by itself. */
  setReachable(isReachable: boolean): void {
    if (isReachable === this.#isReachable) return;
    this.#isReachable = isReachable;
    if (this.#phase.kind !== 'ended' || !isRetried(this.#phase.end)) return;
    clearTimeout(this.#timer);
    if (isReachable) this.connect();
    else this.#end({ code: 1006, reason: '' }, false);
  }

  close(): void {
    this.#isClosed = true;
    clearTimeout(this.#timer);
    this.#drop();
  }

  async #explain(path: string, isPolite: boolean): Promise<void> {
    const found = await this.#options.ask(path).then(
      () => 'unknown' as const,
      (error: unknown) => (error instanceof Refused ? endOfRefusal(error.code, error.message, isPolite) : 'unknown'),
    );
    // Meanwhile the user may have asked for another connection.
    if (this.#isClosed || this.#phase.kind !== 'connecting') return;
    if (found === 'maybeOccupied' && this.#isReachable) this.#occupied(MAYBE_OCCUPIED);
    else this.#end(typeof found === 'object' ? found : { code: 1006, reason: '' }, isPolite);
  }

  #end(closed: Closed, isPolite: boolean): void {
    const end = streamEnd(closed, { kind: this.#options.kind, isReachable: this.#isReachable, isPolite });
    if (end.kind === 'occupied') {
      this.#occupied(end);
      return;
    }
    this.#tell({ kind: 'ended', end });
    if (end.kind !== 'retried') return;
    this.#attempt += 1;
    this.#later(retryDelayMs(this.#attempt, Math.random()));
  }

  #occupied(end: StreamEnd): void {
    this.#refusals += 1;
    if (this.#refusals < POLITE_TRIES) this.#later(POLITE_DELAY_MS);
    else this.#tell({ kind: 'ended', end });
  }

  #later(ms: number): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.connect(), ms);
  }

  #tell(phase: Phase): void {
    if (this.#isClosed) return;
    this.#phase = phase;
    this.#options.onPhase(phase);
  }
}

/** Whether a machine that stops or starts changes anything: who had the screen of the last run has none of this one. */
const isRetried = ({ kind }: StreamEnd): boolean => kind === 'off' || kind === 'retried' || kind === 'occupied';
