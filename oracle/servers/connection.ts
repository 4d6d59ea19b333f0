import https from 'node:https';

/** A request as it goes over the wire. */
export interface Sent {
  readonly method: string;
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

export interface Received {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: string;
}

/** The connection ended, or no answer came. */
export class NoAnswer extends Error {}

const PATIENCE_MS = 60_000;
/** A warning for every unknown field makes for long headers. */
const MAX_HEADER_BYTES = 1 << 20;

/** A client of one server that sends what it is told to. */
export class Connection {
  readonly #port: number;
  readonly #agent: https.Agent;

  constructor(port: number, credentials: { readonly ca: string; readonly cert?: string; readonly key?: string }) {
    this.#port = port;
    this.#agent = new https.Agent({ keepAlive: true, ...credentials });
  }

  send(sent: Sent): Promise<Received> {
    const { method, path, headers, body } = sent;
    return new Promise((resolve, reject) => {
      const fail = (error: Error & { code?: string }): void => {
        // A server may close a connection that it has not used for a while, just when something is sent over it.
        if (request.reusedSocket && error.code === 'ECONNRESET') resolve(this.send(sent));
        else reject(new NoAnswer(`${method} ${path}: ${error.message}`));
      };
      const options = { port: this.#port, host: '127.0.0.1', agent: this.#agent, maxHeaderSize: MAX_HEADER_BYTES };
      const length = body === undefined ? {} : { 'content-length': String(Buffer.byteLength(body)) };
      const request = https.request({ ...options, method, path, headers: { ...headers, ...length } }, (response) => {
        const chunks: Buffer[] = [];
        response.on('data', (chunk: Buffer) => chunks.push(chunk));
        response.on('error', fail);
        response.on('end', () =>
          resolve({
            status: response.statusCode ?? 0,
            headers: response.headers,
            body: Buffer.concat(chunks).toString(),
          }),
        );
      });
      request.setTimeout(PATIENCE_MS, () => request.destroy(new Error(`no answer within ${PATIENCE_MS / 1000} s`)));
      request.on('error', fail);
      request.end(body);
    });
  }

  close(): void {
    this.#agent.destroy();
  }
}
