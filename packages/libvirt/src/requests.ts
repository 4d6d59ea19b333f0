import type { CallOptions } from './caller.ts';
import { CallTimeoutError } from './errors.ts';
import type { Procedure } from './protocol.ts';
import type { LibvirtStream } from './streams.ts';
import { XdrWriter } from './xdr.ts';

/** A call from the moment it is made until the daemon's reply. */
export interface Request {
  readonly procedure: Procedure<unknown, unknown>;
  readonly payload: Buffer;
  readonly resolve: (result: unknown) => void;
  readonly reject: (error: unknown) => void;
  /** Gets its serial, and with it packets, as soon as the call is sent: data may overtake the reply. */
  readonly openStream: ((serial: number) => LibvirtStream) | undefined;
  stream?: LibvirtStream;
}

/**
 * Calls of one connection. So many are under way at once that the daemon still reads from the connection: it stops
 * reading, and answering pings, at its limit of requests (`max_client_requests`, 5 unless configured).
 */
export class Requests {
  readonly #maxInFlight: number;
  readonly #send: (serial: number, request: Request) => void;
  #waiting: Request[] = [];
  readonly #inFlight = new Map<number, Request>();
  #lastSerial = 0;

  constructor(maxInFlight: number, send: (serial: number, request: Request) => void) {
    this.#maxInFlight = maxInFlight;
    this.#send = send;
  }

  get inFlight(): number {
    return this.#inFlight.size;
  }

  /** Resolves with the decoded result. */
  add<Args, Result>(
    procedure: Procedure<Args, Result>,
    args: Args,
    { signal, timeoutMs }: CallOptions = {},
    openStream?: (serial: number) => LibvirtStream,
  ): Promise<{ result: Result; stream: LibvirtStream | undefined }> {
    return new Promise((resolve, reject) => {
      signal?.throwIfAborted();
      const writer = new XdrWriter();
      procedure.args.write(writer, args);
      const release = () => {
        clearTimeout(timer);
        signal?.removeEventListener('abort', onAbort);
      };
      const request: Request = {
        procedure: procedure as Procedure<unknown, unknown>,
        payload: writer.finish(),
        resolve: (result) => {
          release();
          resolve({ result: result as Result, stream: request.stream });
        },
        reject: (error) => {
          release();
          request.stream?.discard();
          reject(error);
        },
        openStream,
      };
      const onAbort = () => this.#abandon(request, signal?.reason);
      const timer =
        timeoutMs === undefined
          ? undefined
          : setTimeout(() => {
              const message = `no reply to ${procedure.name} within ${timeoutMs} ms`;
              this.#abandon(request, new CallTimeoutError(message));
            }, timeoutMs);
      signal?.addEventListener('abort', onAbort);
      this.#waiting.push(request);
      this.#pump();
    });
  }

  /** The request that a reply is for; undefined when none has this serial. */
  answered(serial: number): Request | undefined {
    const request = this.#inFlight.get(serial);
    this.#inFlight.delete(serial);
    if (request) this.#pump();
    return request;
  }

  /** Ends all: the connection is gone. */
  failAll(errorFor: (request: Request) => Error): void {
    const all = [...this.#inFlight.values(), ...this.#waiting];
    this.#inFlight.clear();
    this.#waiting = [];
    for (const request of all) request.reject(errorFor(request));
  }

  /** A call that was sent keeps its place until the daemon answers, for the daemon counts it as long. */
  #abandon(request: Request, reason: unknown): void {
    this.#waiting = this.#waiting.filter((other) => other !== request);
    request.stream?.destroy();
    request.reject(reason);
  }

  #pump(): void {
    while (this.#inFlight.size < this.#maxInFlight) {
      const request = this.#waiting.shift();
      if (!request) return;
      const serial = this.#nextSerial();
      this.#inFlight.set(serial, request);
      request.stream = request.openStream?.(serial);
      this.#send(serial, request);
    }
  }

  #nextSerial(): number {
    do this.#lastSerial = this.#lastSerial === 0xffff_ffff ? 1 : this.#lastSerial + 1;
    while (this.#inFlight.has(this.#lastSerial));
    return this.#lastSerial;
  }
}
