import { createServer, request as httpRequest, type Server } from 'node:http';
import { join } from 'node:path';
import { WebSocket } from 'ws';
import type { RunningNode } from '../startNode.ts';
import { NAMESPACE } from './cluster.ts';

/** The node's API over a socket, as the extension uses it. */
export class ApiClient implements AsyncDisposable {
  readonly #path: string;
  readonly #server: Server;

  private constructor(path: string, server: Server) {
    this.#path = path;
    this.#server = server;
  }

  static async listen(node: () => RunningNode, directory: string): Promise<ApiClient> {
    const path = join(directory, 'node.sock');
    const server = createServer((request, response) => node().api.handle(request, response));
    server.on('upgrade', (request, socket, head) => node().api.upgrade(request, socket, head));
    await new Promise<void>((resolve) => server.listen(path, resolve));
    return new ApiClient(path, server);
  }

  async ask(method: 'GET' | 'PUT', vmi: string, verb: string): Promise<{ status: number; body: Buffer; type: string }> {
    return this.get(`/v1/namespaces/${NAMESPACE}/virtualmachineinstances/${vmi}/${verb}`, method);
  }

  async get(path: string, method = 'GET'): Promise<{ status: number; body: Buffer; type: string }> {
    const { promise, resolve, reject } = Promise.withResolvers<import('node:http').IncomingMessage>();
    httpRequest({ socketPath: this.#path, path, method }, resolve).on('error', reject).end();
    const response = await promise;
    const body = Buffer.concat(await response.toArray());
    return { status: response.statusCode ?? 0, body, type: response.headers['content-type'] ?? '' };
  }

  /** Opens a stream; rejects with the text of a refusal. */
  async open(vmi: string, path: string): Promise<Stream> {
    const url = `ws+unix://${this.#path}:/v1/namespaces/${NAMESPACE}/virtualmachineinstances/${vmi}/${path}`;
    const socket = new WebSocket(url, 'plain.kubevirt.io');
    const stream = new Stream(socket);
    await stream.opened;
    return stream;
  }

  [Symbol.asyncDispose](): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#server.close(() => resolve());
    this.#server.closeAllConnections();
    return promise;
  }
}

/** One stream and all that came over it. */
export class Stream {
  readonly socket: WebSocket;
  readonly opened: Promise<void>;
  readonly closed: Promise<{ code: number; reason: string }>;
  #text = '';
  #onText = (): void => {};

  constructor(socket: WebSocket) {
    this.socket = socket;
    const opened = Promise.withResolvers<void>();
    const closed = Promise.withResolvers<{ code: number; reason: string }>();
    this.opened = opened.promise;
    this.closed = closed.promise;
    socket.once('open', () => opened.resolve());
    socket.on('error', (error) => opened.reject(error));
    socket.once('unexpected-response', (_, response) => {
      response.toArray().then((chunks) => opened.reject(new Error(Buffer.concat(chunks).toString())), opened.reject);
    });
    socket.once('close', (code, reason) => closed.resolve({ code, reason: reason.toString() }));
    socket.on('message', (data: Buffer) => {
      this.#text += data.toString('latin1');
      this.#onText();
    });
  }

  send(text: string): void {
    this.socket.send(Buffer.from(text), { binary: true });
  }

  /** Resolves when the text has come. */
  async until(text: string): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#onText = () => {
      if (this.#text.includes(text)) resolve();
    };
    this.#onText();
    await promise;
  }
}
