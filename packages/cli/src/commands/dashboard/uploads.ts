import { type ClientRequest, type IncomingMessage, request as plainRequest } from 'node:http';
import { request as tlsRequest } from 'node:https';
import { text } from 'node:stream/consumers';
import type { WebSocket } from 'ws';
import { reasonOf } from '../vms/refusal.ts';
import { ASYNC_PATH, trustedBy, type UploadServer, withPath } from '../vms/upload/send.ts';

/** What the page says first: which upload it is for, and how much will come. */
interface Announced {
  readonly token: string;
  readonly bytes: number;
}

/** The page waits by itself when 8 MiB have not been taken yet. */
const MOST_BUFFERED_BYTES = 16 << 20;
/** How long an answer that was sent before the connection broke may take to arrive. */
const LATE_RESPONSE_MS = 500;
const MOST_MESSAGE_LENGTH = 2_000;

/**
 * Carries one upload from the page to the cluster. Browsers cannot hold back the body of a request over HTTP/1.1, and
 * so cannot pause one: instead, the page sends pieces over a WebSocket. It hears `{ taken }`, the bytes that have gone
 * on, and at the end `{ status, message }` as the cluster answered. It waits for the former: a socket that is held back
 * here would not tell that the page has gone, and the upload would keep its claim.
 */
export function carryUpload(page: WebSocket, findServer: () => Promise<UploadServer>): void {
  let announced: Announced | undefined;
  let request: ClientRequest | undefined;
  /** Pieces that came before it was known where they go. */
  const early: Buffer[] = [];
  let received = 0;
  let taken = 0;
  const tell = (message: object): void => {
    if (page.readyState === page.OPEN) page.send(JSON.stringify(message));
  };
  const end = (status: number, message: string): void => {
    tell({ status, message: message.slice(0, MOST_MESSAGE_LENGTH) });
    page.close(1000);
  };
  page.on('error', () => page.terminate());
  page.on('close', () => request?.destroy());
  page.on('message', (data, isBinary) => {
    if (!announced) {
      announced = isBinary ? undefined : parseAnnounced(String(data));
      if (announced) void begin(announced);
      else page.close(1008, 'not understood');
      return;
    }
    if (!isBinary) return page.close(1008, 'not understood');
    const piece = data as Buffer;
    received += piece.length;
    if (received > announced.bytes) return page.close(1008, 'more than was announced');
    if (received - taken > MOST_BUFFERED_BYTES) return page.close(1008, 'more than the cluster takes');
    if (request) pass(request, piece);
    else early.push(piece);
    if (received === announced.bytes) request?.end();
  });

  async function begin(wanted: Announced): Promise<void> {
    try {
      const server = await findServer();
      if (page.readyState !== page.OPEN) return;
      request = open(server, wanted);
      answerOf(request).then(
        ({ status, message }) => end(status, message),
        (error: unknown) => end(502, `${new URL(server.url).origin} cut the upload: ${reasonOf(error)}`),
      );
      for (const piece of early.splice(0)) pass(request, piece);
      if (received === wanted.bytes) request.end();
    } catch (error) {
      end(502, reasonOf(error));
    }
  }

  function pass(to: ClientRequest, piece: Buffer): void {
    if (to.destroyed) return;
    to.write(piece, (error) => {
      if (error) return;
      taken += piece.length;
      tell({ taken });
    });
  }
}

function open(server: UploadServer, { token, bytes }: Announced): ClientRequest {
  const url = withPath(server.url, ASYNC_PATH);
  const headers = {
    authorization: `Bearer ${token}`,
    'content-type': 'application/octet-stream',
    'content-length': String(bytes),
  };
  const options = { method: 'POST', headers, agent: false as const };
  if (!url.startsWith('https:')) return plainRequest(url, options);
  const ca = trustedBy(server.certificateAuthority);
  return tlsRequest(url, { ...options, rejectUnauthorized: !server.insecure, ...(ca && { ca }) });
}

/** What the cluster says. One that has heard enough answers and hangs up: what it said counts, not that. */
async function answerOf(request: ClientRequest): Promise<{ status: number; message: string }> {
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
  request.once('response', resolve);
  request.on('error', (error) => setTimeout(() => reject(error), LATE_RESPONSE_MS));
  const response = await promise;
  const message = (await text(response)).trim();
  request.destroy();
  return { status: response.statusCode ?? 502, message };
}

function parseAnnounced(message: string): Announced | undefined {
  try {
    const { token, bytes } = JSON.parse(message) as Partial<Announced>;
    // What is not of a header's characters is no token.
    if (typeof token !== 'string' || !/^[\w.~+/=-]+$/.test(token)) return undefined;
    return Number.isSafeInteger(bytes) && Number(bytes) >= 0 ? { token, bytes: Number(bytes) } : undefined;
  } catch {
    return undefined;
  }
}
