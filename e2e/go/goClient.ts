import { readFileSync } from 'node:fs';
import http2 from 'node:http2';
import { join } from 'node:path';

export const PROTOBUF = 'application/vnd.kubernetes.protobuf';
/** What typed clients of client-go send for built-in kinds. */
export const TYPED = `${PROTOBUF},application/json`;

export interface Answer {
  readonly status: number;
  readonly contentType: string;
  readonly bytes: Buffer;
  /** The body where it is JSON. */
  // biome-ignore lint/suspicious/noExplicitAny: tests look into answers freely.
  readonly json: any;
}

interface Request {
  readonly accept?: string;
  readonly contentType?: string;
  readonly body?: Buffer | object;
}

/** Requests as client-go makes them: one HTTP/2 connection, with the administrator's certificate. */
export class GoClient {
  readonly #session: http2.ClientHttp2Session;

  constructor(port: number, home: string) {
    const read = (name: string): Buffer => readFileSync(join(home, 'pki', name));
    this.#session = http2.connect(`https://127.0.0.1:${port}`, {
      ca: read('ca.crt'),
      cert: read('admin.crt'),
      key: read('admin.key'),
    });
  }

  close(): void {
    this.#session.destroy();
  }

  open(method: string, path: string, { accept = TYPED, contentType = PROTOBUF, body }: Request = {}) {
    const stream = this.#session.request(
      {
        ':method': method,
        ':path': path,
        accept,
        'user-agent': 'e2e.test/v1.36.0 (linux/amd64) kubernetes/0000000',
        'accept-encoding': 'gzip',
        ...(body !== undefined && { 'content-type': Buffer.isBuffer(body) ? contentType : contentTypeOf(contentType) }),
      },
      { endStream: body === undefined },
    );
    if (body !== undefined) stream.end(Buffer.isBuffer(body) ? body : JSON.stringify(body));
    return stream;
  }

  call(method: string, path: string, request: Request = {}): Promise<Answer> {
    return new Promise((resolve, reject) => {
      const stream = this.open(method, path, request);
      const chunks: Buffer[] = [];
      let headers: http2.IncomingHttpHeaders = {};
      stream.on('response', (received) => {
        headers = received;
      });
      stream.on('data', (chunk: Buffer) => chunks.push(chunk));
      stream.on('error', reject);
      stream.on('end', () => {
        const bytes = Buffer.concat(chunks);
        const contentType = headers['content-type'] ?? '';
        const json = contentType.startsWith('application/json') ? JSON.parse(bytes.toString()) : undefined;
        resolve({ status: Number((headers as Record<string, unknown>)[':status']), contentType, bytes, json });
      });
    });
  }

  /** The frames of a watch in protobuf, as many as asked for. */
  async frames(path: string, accept: string, count: number): Promise<{ contentType: string; frames: Buffer[] }> {
    const stream = this.open('GET', path, { accept });
    let contentType = '';
    stream.on('response', (headers) => {
      contentType = String(headers['content-type']);
    });
    let waiting = Buffer.alloc(0);
    const frames: Buffer[] = [];
    for await (const chunk of stream as AsyncIterable<Buffer>) {
      waiting = Buffer.concat([waiting, chunk]);
      while (waiting.length >= 4 && waiting.length >= 4 + waiting.readUInt32BE()) {
        const end = 4 + waiting.readUInt32BE();
        frames.push(waiting.subarray(4, end));
        waiting = waiting.subarray(end);
      }
      if (frames.length >= count) break;
    }
    return { contentType, frames };
  }
}

const contentTypeOf = (asked: string): string => (asked === PROTOBUF ? 'application/json' : asked);
