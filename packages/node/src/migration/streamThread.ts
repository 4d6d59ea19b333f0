import { Worker } from 'node:worker_threads';
import type { ChannelEnd } from './channels.ts';
import type { PeerCredentials } from './peerCertificates.ts';
import type { Channel } from './peerProtocol.ts';
import type { ChannelOffer, ChannelSocket } from './streamProtocol.ts';
import { ThreadCalls } from './threadCalls.ts';

/** What other nodes may ask of this one. `caller` is the name of the node that asks. */
export interface PeerRequests {
  call(caller: string, migrationUid: string, word: string, body: unknown): Promise<object>;
  open(caller: string, migrationUid: string, channel: Channel): Promise<ChannelSocket>;
}

/** Where this node listens for others. */
export interface Listening {
  readonly port: number;
  /** Resolves when it listens no more, whoever has ended it. */
  readonly ended: Promise<void>;
  close(): Promise<void>;
}

type OnError = (path: string, error: unknown) => void;

/** Its start takes longer than it is worth to save what it has. */
const IDLE_MS = 60_000;

interface Running {
  readonly worker: Worker;
  readonly calls: ThreadCalls;
  readonly ended: Promise<void>;
}

/**
 * The thread that carries the bytes of migrations and speaks TLS with other nodes. Each chunk of them is garbage as soon
 * as it is sent, and how long a collection takes depends on the heap, not on the garbage: in an agent of 200 MB it costs
 * more than everything else. It runs while it is needed, and a little longer.
 */
export class StreamThread {
  readonly #uses = new Map<number, { readonly requests?: PeerRequests; readonly onError: OnError }>();
  #lastUse = 0;
  #running: Running | undefined;
  #idle: NodeJS.Timeout | undefined;

  /** It is needed soon. */
  start(): void {
    this.#thread();
    this.#rest();
  }

  /** Listens for other nodes. */
  async listen(
    address: string,
    credentials: PeerCredentials,
    requests: PeerRequests,
    onError: OnError,
  ): Promise<Listening> {
    const { id, running } = this.#use({ requests, onError });
    try {
      const port = await running.calls.call<number>('listen', id, address, credentials);
      const closed = Promise.withResolvers<void>();
      const close = (): Promise<void> => this.#end(id, running).finally(closed.resolve);
      return { port, ended: Promise.race([running.ended, closed.promise]), close };
    } catch (error) {
      await this.#end(id, running);
      throw error;
    }
  }

  /** Offers a channel to a guest's QEMU. Who connects is carried to the other node. */
  async offer(offer: ChannelOffer, onError: (error: unknown) => void): Promise<ChannelEnd> {
    const { id, running } = this.#use({ onError: (_, error) => onError(error) });
    try {
      await running.calls.call('offer', id, offer);
      return { close: () => this.#end(id, running) };
    } catch (error) {
      await this.#end(id, running);
      throw error;
    }
  }

  /** Everything that it carries breaks off. */
  async close(): Promise<void> {
    clearTimeout(this.#idle);
    const running = this.#running;
    this.#running = undefined;
    await running?.worker.terminate();
  }

  #use(use: { readonly requests?: PeerRequests; readonly onError: OnError }): { id: number; running: Running } {
    const id = ++this.#lastUse;
    this.#uses.set(id, use);
    return { id, running: this.#thread() };
  }

  async #end(id: number, { calls }: Running): Promise<void> {
    // Where the thread is gone, everything is closed.
    await calls.call('close', id).catch(() => {});
    this.#uses.delete(id);
    this.#rest();
  }

  #rest(): void {
    clearTimeout(this.#idle);
    if (this.#uses.size === 0) this.#idle = setTimeout(() => void this.close(), IDLE_MS).unref();
  }

  #thread(): Running {
    clearTimeout(this.#idle);
    if (this.#running) return this.#running;
    const worker = new Worker(new URL('./streamWorker.ts', import.meta.url), {
      name: 'migration streams',
      // Chunks that are sent are collected often and cheaply, before they are many enough for a collection of everything.
      resourceLimits: { maxYoungGenerationSizeMb: 3 },
    });
    const of = (id: number) => this.#uses.get(id);
    const calls = new ThreadCalls(worker, {
      answer: (id: number, ...asked: Parameters<PeerRequests['call']>) => of(id)?.requests?.call(...asked),
      open: (id: number, ...asked: Parameters<PeerRequests['open']>) => of(id)?.requests?.open(...asked),
      failed: (id: number, path: string, error: unknown) => of(id)?.onError(path, error),
    });
    const { promise: ended, resolve } = Promise.withResolvers<void>();
    const running: Running = { worker, calls, ended };
    const end = (why: Error): void => {
      if (this.#running === running) this.#running = undefined;
      calls.end(why);
      resolve();
    };
    worker.once('error', (error) => end(new Error(`the thread of migrations has failed: ${error}`, { cause: error })));
    worker.once('exit', () => end(new Error('the thread of migrations has ended')));
    worker.unref();
    this.#running = running;
    return running;
  }
}
