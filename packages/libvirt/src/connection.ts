import { connect, type Socket } from 'node:net';
import { addAbortSignal } from 'node:stream';
import type { Caller, CallOptions, EventSource, SubscribeOptions, Subscription } from './caller.ts';
import { ConnectionError, LibvirtError, ProtocolError } from './errors.ts';
import { EventHub } from './eventHub.ts';
import type { DomainEventName, DomainEventPayload } from './events.ts';
import { KeepAlive, type KeepAliveOptions } from './keepAlive.ts';
import { encodePacket, type Packet, PacketReader, packetStatuses, packetTypes } from './packet.ts';
import { keepAliveProcedures, type Procedure, programs, programVersion } from './protocol.ts';
import { type Request, Requests } from './requests.ts';
import { LibvirtStream } from './streams.ts';
import { remoteError } from './types.ts';
import { XdrReader } from './xdr.ts';

export interface ConnectionOptions {
  /** Path of the daemon's socket, such as `/run/libvirt/libvirt-sock`. */
  readonly socket: string;
  /** How to notice a daemon that hangs; `false` never looks. Default: a ping after 5 s of silence, dead after 5. */
  readonly keepAlive?: KeepAliveOptions | false;
  /** The daemon's `max_client_requests`. Default: 5, the daemon's own. */
  readonly maxRequests?: number;
}

const defaultKeepAlive: KeepAliveOptions = { intervalMs: 5_000, count: 5 };

/** One connection to a libvirt daemon: calls, events and streams over one socket. Does not reconnect. */
export class Connection implements Caller, EventSource {
  readonly #path: string;
  readonly #socket: Socket;
  readonly #packets = new PacketReader();
  readonly #requests: Requests;
  readonly #events = new EventHub(this);
  readonly #streams = new Map<number, LibvirtStream>();
  readonly #pausedBy = new Set<LibvirtStream>();
  readonly #keepAlive: KeepAlive | undefined;
  readonly #ended = Promise.withResolvers<ConnectionError>();
  #failure: ConnectionError | undefined;
  #isCorked = false;

  private constructor(socket: Socket, options: ConnectionOptions) {
    this.#path = options.socket;
    this.#socket = socket;
    this.#requests = new Requests(Math.max(1, (options.maxRequests ?? 5) - 1), (serial, request) =>
      this.#sendRequest(serial, request),
    );
    socket.on('data', (chunk) => this.#receive(chunk));
    socket.on('error', (error) => this.#fail(new ConnectionError(`${this.#path}: ${error.message}`, { cause: error })));
    socket.on('close', () => this.#fail(new ConnectionError(`${this.#path}: libvirtd closed the connection`)));
    const keepAlive = options.keepAlive ?? defaultKeepAlive;
    if (keepAlive) {
      this.#keepAlive = new KeepAlive(keepAlive, {
        ping: () => this.#sendKeepAlive(keepAliveProcedures.ping),
        dead: () => {
          const timeoutMs = keepAlive.intervalMs * (keepAlive.count + 1);
          this.#fail(new ConnectionError(`${this.#path}: libvirtd has not responded for ${timeoutMs} ms`));
        },
        isListening: () => this.#pausedBy.size === 0,
      });
    }
  }

  /** Connects to the socket; nothing is said yet. */
  static open(options: ConnectionOptions): Promise<Connection> {
    return new Promise((resolve, reject) => {
      const socket = connect(options.socket);
      const onError = (error: Error) => {
        reject(
          new ConnectionError(`cannot connect to libvirtd at ${options.socket}: ${error.message}`, { cause: error }),
        );
      };
      socket.once('error', onError);
      socket.once('connect', () => {
        socket.off('error', onError);
        resolve(new Connection(socket, options));
      });
    });
  }

  /** Resolves with the reason once the connection is over. */
  get ended(): Promise<ConnectionError> {
    return this.#ended.promise;
  }

  get isOpen(): boolean {
    return this.#failure === undefined;
  }

  /** Calls that the daemon has not answered, those that nobody waits for any more included. */
  get inFlight(): number {
    return this.#requests.inFlight;
  }

  async call<Args, Result>(procedure: Procedure<Args, Result>, args: Args, options?: CallOptions): Promise<Result> {
    if (this.#failure) throw this.#lost(procedure.name, this.#failure);
    try {
      return (await this.#requests.add(procedure, args, options)).result;
    } catch (error) {
      throw fromCaller(error);
    }
  }

  async openStream<Args, Result>(
    procedure: Procedure<Args, Result>,
    args: Args,
    options: CallOptions = {},
  ): Promise<{ result: Result; stream: LibvirtStream }> {
    if (this.#failure) throw this.#lost(procedure.name, this.#failure);
    const open = (serial: number) => this.#addStream(serial, procedure as Procedure<unknown, unknown>);
    try {
      const { result, stream } = await this.#requests.add(procedure, args, options, open);
      if (!stream) throw new ProtocolError(`received a reply to ${procedure.name} before the call was sent`);
      if (options.signal) addAbortSignal(options.signal, stream);
      return { result, stream };
    } catch (error) {
      throw fromCaller(error);
    }
  }

  subscribe<Name extends DomainEventName>(
    name: Name,
    handler: (event: DomainEventPayload<Name>) => void,
    options?: SubscribeOptions,
  ): Promise<Subscription> {
    return this.#events.subscribe(name, handler, options);
  }

  /** Closes the socket; what is under way fails. Packets written before still go out. */
  end(reason = 'the connection was closed'): void {
    this.#fail(new ConnectionError(`${this.#path}: ${reason}`));
  }

  #sendRequest(serial: number, { procedure, payload }: Request): void {
    const { program, number } = procedure;
    const { call } = packetTypes;
    const header = { program, version: programVersion, procedure: number, serial };
    this.#write(encodePacket({ ...header, type: call, status: packetStatuses.ok }, payload));
  }

  #sendKeepAlive(procedure: number): void {
    const header = { program: programs.keepAlive, version: programVersion, procedure, serial: 0 };
    this.#write(encodePacket({ ...header, type: packetTypes.event, status: packetStatuses.ok }));
  }

  /** Packets of one turn of the event loop leave in one system call. */
  #write(packet: Buffer, sent?: (error?: Error | null) => void): void {
    if (!this.#isCorked) {
      this.#isCorked = true;
      this.#socket.cork();
      process.nextTick(() => {
        this.#isCorked = false;
        this.#socket.uncork();
      });
    }
    this.#socket.write(packet, sent);
  }

  #receive(chunk: Buffer): void {
    try {
      for (const packet of this.#packets.push(chunk)) {
        if (this.#failure) return;
        this.#keepAlive?.heard();
        this.#dispatch(packet);
      }
    } catch (error) {
      this.#fail(new ConnectionError(`${this.#path}: ${(error as Error).message}`, { cause: error }));
    }
  }

  #dispatch(packet: Packet): void {
    if (packet.program === programs.keepAlive) {
      if (packet.procedure === keepAliveProcedures.ping) this.#sendKeepAlive(keepAliveProcedures.pong);
    } else if (packet.type === packetTypes.reply) this.#receiveReply(packet);
    else if (packet.type === packetTypes.event) this.#events.receive(packet.procedure, packet.payload);
    else if (packet.type === packetTypes.stream) this.#receiveStream(packet);
    else throw new ProtocolError(`a packet of procedure ${packet.procedure} has the unexpected type ${packet.type}`);
  }

  #receiveReply(packet: Packet): void {
    const request = this.#requests.answered(packet.serial);
    if (!request)
      throw new ProtocolError(`a reply has serial ${packet.serial}, which does not belong to a call in progress`);
    try {
      if (packet.status === packetStatuses.error) {
        this.#streams.delete(packet.serial);
        request.reject(readError(packet.payload, request.procedure.name));
        return;
      }
      const reader = new XdrReader(packet.payload);
      const result = request.procedure.result.read(reader);
      reader.finish();
      request.resolve(result);
    } catch (error) {
      const message = `the reply to ${request.procedure.name} cannot be read: ${(error as Error).message}`;
      request.reject(new ProtocolError(message, { cause: error }));
    }
  }

  /** Streams that we have given up may still get packets, which nobody wants. */
  #receiveStream({ serial, status, payload, procedure }: Packet): void {
    const stream = this.#streams.get(serial);
    if (!stream) return;
    if (status === packetStatuses.continue) stream.receiveData(payload);
    else if (status === packetStatuses.ok) stream.receiveFinish();
    else stream.receiveError(readError(payload, `stream of procedure ${procedure}`));
  }

  #addStream(serial: number, { program, number }: Procedure<unknown, unknown>): LibvirtStream {
    const header = { program, version: programVersion, procedure: number, type: packetTypes.stream, serial };
    const statuses = { data: packetStatuses.continue, finish: packetStatuses.ok, abort: packetStatuses.error };
    const stream: LibvirtStream = new LibvirtStream({
      send: (kind, data, sent) => {
        if (this.#failure) sent?.(this.#failure);
        else this.#write(encodePacket({ ...header, status: statuses[kind] }, data), sent);
      },
      pause: () => {
        this.#pausedBy.add(stream);
        this.#socket.pause();
      },
      resume: () => {
        if (this.#pausedBy.delete(stream) && this.#pausedBy.size === 0) this.#socket.resume();
      },
      release: () => {
        this.#streams.delete(serial);
        if (this.#pausedBy.delete(stream) && this.#pausedBy.size === 0) this.#socket.resume();
      },
    });
    this.#streams.set(serial, stream);
    return stream;
  }

  #fail(failure: ConnectionError): void {
    if (this.#failure) return;
    this.#failure = failure;
    this.#keepAlive?.stop();
    this.#requests.failAll((request) => this.#lost(request.procedure.name, failure));
    for (const stream of this.#streams.values()) stream.receiveError(failure);
    this.#streams.clear();
    this.#socket.destroySoon();
    // Data that nobody will take must not keep the socket open.
    this.#socket.resume();
    this.#ended.resolve(failure);
  }

  #lost(procedure: string, failure: ConnectionError): ConnectionError {
    return new ConnectionError(`${procedure} failed: ${failure.message}`, { cause: failure.cause ?? failure });
  }
}

/** Replies arrive out of nowhere: here, behind the `await`, the stack tells who made the call. */
function fromCaller(error: unknown): unknown {
  if (error instanceof LibvirtError || error instanceof ConnectionError) Error.captureStackTrace(error, fromCaller);
  return error;
}

function readError(payload: Buffer, procedure: string): LibvirtError {
  const { code, domain, level, message } = remoteError.read(new XdrReader(payload));
  return new LibvirtError({ code, domain, level, message: message ?? 'libvirt did not provide a message', procedure });
}
