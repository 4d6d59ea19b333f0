import { once } from 'node:events';
import { open, stat } from 'node:fs/promises';
import { createServer } from 'node:http';
import https from 'node:https';
import type { AddressInfo } from 'node:net';
import { basename, join } from 'node:path';
import type { Writable } from 'node:stream';

const PIECE_BYTES = 1 << 20;

/** Serves the files of a directory; resolves with the port. */
export async function serve(directory: string): Promise<number> {
  const server = createServer(async ({ url = '' }, response) => {
    const file = join(directory, basename(url));
    response.writeHead(200, { 'content-length': (await stat(file)).size });
    await sendFile(file, response);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return (server.address() as AddressInfo).port;
}

export interface Sending {
  readonly url: string;
  readonly file: string;
  /** Who is trusted to be the server. */
  readonly ca: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** POSTs a file over TLS; resolves with the status of the answer. */
export async function send({ url, file, ca, headers = {} }: Sending): Promise<number> {
  const length = { 'content-length': (await stat(file)).size };
  const request = https.request(url, { method: 'POST', ca, agent: false, headers: { ...headers, ...length } });
  const answered = new Promise<number>((resolve, reject) => {
    request.once('response', (response) => response.resume().once('end', () => resolve(response.statusCode ?? 0)));
    request.once('error', reject);
  });
  // Who is refused is told so, perhaps before everything is sent.
  await Promise.race([sendFile(file, request), answered]);
  return answered;
}

/** Two pieces of memory: one is sent while the other is read. */
async function sendFile(path: string, to: Writable): Promise<void> {
  const file = await open(path);
  try {
    let [piece, spare] = [Buffer.allocUnsafeSlow(PIECE_BYTES), Buffer.allocUnsafeSlow(PIECE_BYTES)];
    let sent = Promise.resolve();
    for (;;) {
      const { bytesRead } = await file.read(piece);
      await sent;
      if (bytesRead === 0) break;
      sent = write(to, piece.subarray(0, bytesRead));
      // It is heard when the next piece has been read.
      sent.catch(() => {});
      [piece, spare] = [spare, piece];
    }
    to.end();
  } finally {
    await file.close();
  }
}

const write = (to: Writable, piece: Buffer): Promise<void> =>
  new Promise((resolve, reject) => {
    to.write(piece, (error) => (error ? reject(error) : resolve()));
  });
