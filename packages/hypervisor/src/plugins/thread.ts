import { MessageChannel, type MessagePort, receiveMessageOnPort, Worker } from 'node:worker_threads';
import { TOPICS } from '../convert/convertDomain.ts';
import { ConversionError } from '../convert/error.ts';
import { PluginHookError } from '../hookError.ts';
import { PluginProblem } from './list.ts';
import {
  functionMark,
  type PluginReply,
  pack,
  type Registration,
  type ThreadData,
  topicMark,
  topicNames,
} from './wire.ts';

export interface ThreadOptions {
  /** How long a package may take to load. */
  readonly timeoutMs: number;
  /** How long one answer may take. */
  readonly hookTimeoutMs: number;
  /** A plug-in that nobody has asked for so long ends; the next question starts it again. */
  readonly idleMs: number;
}

/** A plug-in that ended by itself, or had to be ended, is left alone for so long; each time in a row for twice as long. */
const FIRST_PAUSE_MS = 5_000;
const MAX_PAUSE_MS = 300_000;

const names = topicNames(TOPICS);

/** A running thread, and where it answers. */
interface Running {
  readonly worker: Worker;
  readonly port: MessagePort;
  readonly count: Int32Array;
}

/**
 * The thread that the code of a plug-in runs in. It runs while it is asked: a plug-in that is not in use does nothing at
 * all. Questions are answered at once or given up; then the thread ends, and a later question starts another.
 */
export class PluginThread {
  readonly #plugin: string;
  readonly #entry: string;
  readonly #options: ThreadOptions;
  readonly #ids = new WeakMap<object, number>();
  #running: Running | undefined;
  #registered: string | undefined;
  #idle: NodeJS.Timeout | undefined;
  #ended: { readonly why: string; readonly atMs: number; readonly pauseMs: number } | undefined;
  /** How often it has ended since it gave an answer. */
  #failures = 0;

  constructor(plugin: string, entry: string, options: ThreadOptions) {
    this.#plugin = plugin;
    this.#entry = entry;
    this.#options = options;
  }

  /** Starts it for the first time and resolves with what it registers. */
  async load(): Promise<readonly Registration[]> {
    const { timeoutMs } = this.#options;
    const { worker, port, count } = this.#start();
    // Nothing else may keep the process from ending while it waits for this.
    worker.ref();
    const late = Atomics.waitAsync(count, 0, 0, timeoutMs);
    const ended = new Promise<string>((resolve) => {
      worker.once('error', (error) => resolve(error instanceof Error ? error.message : String(error)));
      worker.once('exit', () => resolve('ended while it was loading'));
    });
    const outcome = late.async ? await Promise.race([late.value, ended]) : late.value;
    worker.unref();
    if (outcome !== 'ok' && outcome !== 'not-equal') {
      this.stop();
      throw new PluginProblem(outcome === 'timed-out' ? `took more than ${timeoutMs} ms to load` : outcome);
    }
    const response = take(port);
    if (!response) throw new PluginProblem('did not report what it registers');
    return this.#registrationsOf(response);
  }

  /** Calls a function of the plug-in. `what` says which, for people. */
  call(fn: number, what: string, args: readonly unknown[]): unknown {
    const { port, count } = this.#running ?? this.#startAgain(what);
    clearTimeout(this.#idle);
    // It may have ended since, and our loop was too busy to hear of it.
    const news = take(port);
    if (news) throw this.#giveUp(what, news);
    const before = Atomics.load(count, 0);
    port.postMessage({ fn, args: pack(args, (inner) => this.#mark(inner)) });
    const response = this.#await(port, count, before, this.#options.hookTimeoutMs);
    if (!response) {
      this.stop(`${what} did not respond within ${this.#options.hookTimeoutMs} ms`);
      throw this.#error(what, `did not respond within ${this.#options.hookTimeoutMs} ms`);
    }
    this.#idle = setTimeout(() => this.stop(), this.#options.idleMs).unref();
    if (response.type !== 'value' && response.type !== 'error') throw this.#giveUp(what, response);
    this.#failures = 0;
    if (response.type === 'value') return response.value;
    if (response.field !== undefined)
      throw new ConversionError(response.field, response.message.replace(`${response.field}: `, ''));
    throw this.#error(what, response.message);
  }

  /** Which function of the plug-in a function of ours stands for. */
  remember(proxy: object, id: number): void {
    this.#ids.set(proxy, id);
  }

  /** Ends it; `why` is the error of calls soon after. */
  stop(why?: string): void {
    clearTimeout(this.#idle);
    if (why !== undefined) {
      const pauseMs = Math.min(MAX_PAUSE_MS, FIRST_PAUSE_MS * 2 ** this.#failures);
      this.#ended = { why, atMs: Date.now(), pauseMs };
      this.#failures += 1;
    }
    const running = this.#running;
    this.#running = undefined;
    running?.port.close();
    void running?.worker.terminate();
  }

  #start(): Running {
    const answers = new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT);
    const { port1: port, port2 } = new MessageChannel();
    const workerData: ThreadData = { entry: this.#entry, port: port2, answers };
    const worker = new Worker(new URL('./pluginWorker.ts', import.meta.url), { workerData, transferList: [port2] });
    const running = { worker, port, count: new Int32Array(answers) };
    // Whatever it throws when nobody asks, such as a promise that is rejected late, ends the thread and nothing else.
    worker.on('error', (error) => {
      if (this.#running === running) this.stop(error instanceof Error ? error.message : String(error));
    });
    worker.on('exit', () => {
      if (this.#running === running) this.stop('it exited');
    });
    worker.unref();
    this.#running = running;
    return running;
  }

  #startAgain(what: string): Running {
    const sinceMs = Date.now() - (this.#ended?.atMs ?? 0);
    if (this.#ended && sinceMs < this.#ended.pauseMs) throw this.#error(what, `cannot be called: ${this.#ended.why}`);
    const running = this.#start();
    const response = this.#await(running.port, running.count, 0, this.#options.timeoutMs);
    try {
      if (!response) throw new PluginProblem(`took more than ${this.#options.timeoutMs} ms to load`);
      this.#registrationsOf(response);
    } catch (error) {
      const why = error instanceof Error ? error.message : String(error);
      this.stop(why);
      throw this.#error(what, why);
    }
    return running;
  }

  #await(port: MessagePort, count: Int32Array, before: number, timeoutMs: number): PluginReply | undefined {
    if (Atomics.wait(count, 0, before, timeoutMs) === 'timed-out') return undefined;
    return take(port);
  }

  /** The same each time: its functions are known by their places in it. */
  #registrationsOf(response: PluginReply): readonly Registration[] {
    if (response.type !== 'loaded')
      throw new PluginProblem(
        response.type === 'error'
          ? response.message
          : response.type === 'ended'
            ? response.why
            : 'did not report what it registers',
      );
    const text = JSON.stringify(response.registrations, (_, value: unknown) =>
      typeof value === 'bigint' ? String(value) : value instanceof Map ? [...value] : value,
    );
    this.#registered ??= text;
    if (text !== this.#registered)
      throw new PluginProblem('registers something other than when the server started; restart the server');
    return response.registrations;
  }

  #mark(fn: object): ReturnType<typeof functionMark> | undefined {
    const topic = names.get(fn);
    if (topic !== undefined) return topicMark(topic);
    const id = this.#ids.get(fn);
    return id === undefined ? undefined : functionMark(id);
  }

  /** Ends it because of an answer to something that nobody asked. */
  #giveUp(what: string, news: PluginReply): PluginHookError {
    const why = news.type === 'ended' ? news.why : 'it sent an unexpected response';
    this.stop(why);
    return this.#error(what, `cannot be called: ${why}`);
  }

  #error(what: string, why: string): PluginHookError {
    return new PluginHookError(`hypervisor plug-in ${this.#plugin}: ${what}: ${why}`);
  }
}

const take = (port: MessagePort): PluginReply | undefined =>
  receiveMessageOnPort(port)?.message as PluginReply | undefined;
