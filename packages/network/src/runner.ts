import { type ChildProcess, spawn } from 'node:child_process';
import type { Socket } from 'node:net';
import { fileURLToPath } from 'node:url';
import type { Batch } from './nft/netlink.ts';
import { rememberProcess } from './ownProcesses.ts';

const PROGRAM = fileURLToPath(new URL('./runner.pl', import.meta.url));
const HEADER_BYTES = 16;
/** The status of a program that does not exist, as `runner.pl` has it. */
const NOT_FOUND = 1002;
/** Of a program that changes rules, which has just been started: its process id comes with it. */
const STARTED = 1003;
const FIRST_SIGNAL = 256;

/** How a program has ended. */
export interface Outcome {
  /** Its exit status; with a signal, the number of the signal and 256. */
  readonly status: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** The process that runs programs has ended, and nobody knows what became of them. */
export class RunnerEnded extends Error {
  override readonly name = 'RunnerEnded';
  /** Whether it never got as far as to run anything: there is no Perl, or it lacks a module. */
  readonly isUnusable: boolean;

  constructor(cause: Error, isUnusable: boolean) {
    super(`the process that runs programs is gone: ${cause.message}`, { cause });
    this.isUnusable = isUnusable;
  }
}

interface Waiting {
  readonly resolve: (outcome: Outcome) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * A small process that runs programs for us. To fork a process costs as much as it is large: an agent of 300 MB is busy for
 * about 7 ms with each program that it starts itself, and does nothing else meanwhile. It does not keep us from ending.
 */
export class Runner implements Disposable {
  readonly #child: ChildProcess;
  readonly #input: Socket;
  readonly #output: Socket;
  readonly #waiting = new Map<number, Waiting>();
  #received: Buffer = Buffer.alloc(0);
  #lastNumber = 0;
  #hasReplied = false;
  #end: RunnerEnded | undefined;

  /** `perl`: the interpreter, for tests without one. */
  constructor(perl = 'perl') {
    // Messages of programs are read: they are to be in one language.
    const env = { ...process.env, LC_ALL: 'C' };
    this.#child = spawn(perl, [PROGRAM], { stdio: ['pipe', 'pipe', 'inherit'], env });
    this.#input = this.#child.stdin as Socket;
    this.#output = this.#child.stdout as Socket;
    this.#child.on('error', (error: NodeJS.ErrnoException) => this.#fail(error, error.code === 'ENOENT'));
    this.#child.on('close', (code, signal) =>
      this.#fail(new Error(`it ended (${signal ?? code})`), code !== null && code !== 0 && !this.#hasReplied),
    );
    // A process that has ended says so itself.
    this.#input.on('error', () => {});
    this.#output.on('data', (part: Buffer) => this.#receive(part));
    this.#child.unref();
    this.#rest();
  }

  /** Whether it can be asked. */
  get isAlive(): boolean {
    return this.#end === undefined;
  }

  /** Sends a transaction to the kernel's nftables. */
  transact({ bytes, replies }: Batch): Promise<Outcome> {
    rememberProcess(this.#child.pid);
    return this.run('netfilter:', [String(replies)], bytes);
  }

  /** Runs a program with an input. Rejects with `ENOENT` if there is no such program. */
  run(program: string, words: readonly string[], input: string | Buffer): Promise<Outcome> {
    if (this.#end) return Promise.reject(this.#end);
    const all = [program, ...words];
    if (all.some((word) => word.includes('\0'))) return Promise.reject(new TypeError(`a word of ${program} has a NUL`));
    const number = ++this.#lastNumber;
    const text = Buffer.from(all.join('\0'));
    const body = typeof input === 'string' ? Buffer.from(input) : input;
    const header = Buffer.alloc(12);
    header.writeUInt32BE(number, 0);
    header.writeUInt32BE(text.length, 4);
    header.writeUInt32BE(body.length, 8);
    const { promise, resolve, reject } = Promise.withResolvers<Outcome>();
    this.#waiting.set(number, { resolve, reject });
    this.#output.ref();
    this.#input.write(Buffer.concat([header, text, body]));
    return promise.then((outcome) => {
      if (outcome.status !== NOT_FOUND) return outcome;
      throw Object.assign(new Error(`spawn ${program} ENOENT`), { code: 'ENOENT', path: program });
    });
  }

  #receive(part: Buffer): void {
    this.#hasReplied = true;
    this.#received = this.#received.length === 0 ? part : Buffer.concat([this.#received, part]);
    while (this.#received.length >= HEADER_BYTES) {
      const [number, status, outBytes, errBytes] = [0, 4, 8, 12].map((at) => this.#received.readUInt32BE(at)) as [
        number,
        number,
        number,
        number,
      ];
      const end = HEADER_BYTES + outBytes + errBytes;
      if (this.#received.length < end) return;
      const stdout = this.#received.toString('utf8', HEADER_BYTES, HEADER_BYTES + outBytes);
      const stderr = this.#received.toString('utf8', HEADER_BYTES + outBytes, end);
      this.#received = this.#received.subarray(end);
      if (status === STARTED) {
        rememberProcess(Number(stdout));
        continue;
      }
      const waiting = this.#waiting.get(number);
      this.#waiting.delete(number);
      this.#rest();
      waiting?.resolve({ status, stdout, stderr });
    }
  }

  /** Lets us end while nobody waits. */
  #rest(): void {
    if (this.#waiting.size > 0) return;
    this.#output.unref();
    this.#input.unref();
  }

  #fail(error: Error, isUnusable: boolean): void {
    if (this.#end) return;
    this.#end = new RunnerEnded(error, isUnusable);
    for (const { reject } of this.#waiting.values()) reject(this.#end);
    this.#waiting.clear();
  }

  [Symbol.dispose](): void {
    this.#input.end();
  }
}

/** What became of a program, in words. */
export const endText = ({ status }: Outcome): string =>
  status >= FIRST_SIGNAL ? `ended by signal ${status - FIRST_SIGNAL}` : `exit status ${status}`;
