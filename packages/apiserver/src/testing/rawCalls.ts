import { readFileSync } from 'node:fs';
import http2 from 'node:http2';
import { join } from 'node:path';
import { parseWarnings } from '@vireo/kube';
import type { TestServer } from './server.ts';

export interface RawResponse {
  readonly status: number;
  readonly headers: http2.IncomingHttpHeaders;
  readonly bytes: Buffer;
  /** The texts of its `Warning` headers. */
  readonly warnings: readonly string[];
}

export interface RawCalls {
  send(
    method: string,
    path: string,
    options?: { readonly body?: string | Buffer; readonly headers?: Record<string, string> },
  ): Promise<RawResponse>;
  close(): void;
}

/** Sends exactly the given bytes, as the administrator, and gives back exactly what came. */
export function rawCalls({ home, server }: TestServer): RawCalls {
  const read = (name: string): Buffer => readFileSync(join(home, 'pki', name));
  const session = http2.connect(`https://127.0.0.1:${server.port}`, {
    ca: read('ca.crt'),
    cert: read('admin.crt'),
    key: read('admin.key'),
  });
  return {
    close: () => session.close(),
    send: (method, path, { body, headers = {} } = {}) =>
      new Promise((resolve, reject) => {
        const request = session.request(
          { ':method': method, ':path': path, ...headers },
          { endStream: body === undefined },
        );
        let received: http2.IncomingHttpHeaders = {};
        const chunks: Buffer[] = [];
        request.on('response', (response) => {
          received = response;
        });
        request.on('data', (chunk: Buffer) => chunks.push(chunk));
        request.on('end', () =>
          resolve({
            status: Number(received[':status']),
            headers: received,
            bytes: Buffer.concat(chunks),
            warnings: parseWarnings(received.warning),
          }),
        );
        request.on('error', reject);
        if (body !== undefined) request.end(body);
      }),
  };
}
