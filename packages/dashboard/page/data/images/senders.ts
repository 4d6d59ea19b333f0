import { refusedFrom } from '../refused.ts';
import type { Session } from '../session.ts';
import { PIECE_BYTES, type Sending } from './sending.ts';
import { sendOverSocket } from './socketSender.ts';

/** A way for files to get to the server. `send` rejects with the server's words where it has any. */
export interface Sender {
  /** Why uploads cannot be held on the way; undefined if they can. */
  readonly pauseProblem: string | undefined;
  send(sending: Sending): Promise<void>;
}

/** Answers as soon as it has all the data, and makes a disk of it afterwards. */
const UPLOAD_PATH = '/v1beta1/upload-async';

/** The best way that this browser and whoever serves the page have. */
export function senderFor(mode: Session['mode']): Sender {
  if (mode === 'local') return { pauseProblem: undefined, send: sendOverSocket };
  if (!sendsStreams())
    return { pauseProblem: 'This browser cannot hold an upload: it sends a file as a whole.', send: sendWhole };
  if (!speaksHttp2())
    return {
      pauseProblem: 'Over HTTP/1.1 a browser sends a file as a whole; HTTP/2 is needed to pause.',
      send: sendWhole,
    };
  return { pauseProblem: undefined, send: sendStream };
}

/** Browsers that know no streams as bodies take them for text, and never ask how they are to be sent. */
function sendsStreams(): boolean {
  let isAsked = false;
  const { headers } = new Request(location.origin, {
    body: new ReadableStream(),
    method: 'POST',
    get duplex() {
      isAsked = true;
      return 'half';
    },
  } as RequestInit);
  return isAsked && !headers.has('content-type');
}

/** Only over HTTP/2 and later do browsers send streams. */
function speaksHttp2(): boolean {
  const entries = [...performance.getEntriesByType('navigation'), ...performance.getEntriesByType('resource')];
  return entries.some((entry) => ['h2', 'h3'].includes((entry as PerformanceResourceTiming).nextHopProtocol));
}

const headersWith = (token: string): Record<string, string> => ({
  authorization: `Bearer ${token}`,
  'content-type': 'application/octet-stream',
});

/** The next piece is read only when the connection has room for it, and the gate is open. */
async function sendStream({ file, token, gate, signal, onSent }: Sending): Promise<void> {
  let at = 0;
  const body = new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        onSent(at);
        await gate.pass(signal);
        if (at >= file.size) return controller.close();
        const piece = file.slice(at, at + PIECE_BYTES);
        controller.enqueue(new Uint8Array(await piece.arrayBuffer()));
        at += piece.size;
      },
    },
    { highWaterMark: 0 },
  );
  const init = { method: 'POST', headers: headersWith(token), body, signal, credentials: 'omit', duplex: 'half' };
  const response = await fetch(UPLOAD_PATH, init as RequestInit);
  if (!response.ok) throw refusedFrom(response.status, await response.text());
}

/** The browser reads the file as it sends it. */
function sendWhole({ file, token, signal, onSent }: Sending): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const request = new XMLHttpRequest();
  request.open('POST', UPLOAD_PATH);
  for (const [name, value] of Object.entries(headersWith(token))) request.setRequestHeader(name, value);
  request.upload.onprogress = ({ loaded }) => onSent(loaded);
  request.onload = () =>
    request.status === 200 ? resolve() : reject(refusedFrom(request.status, request.responseText));
  request.onerror = () => reject(new Error('The connection was cut.'));
  request.onabort = () => reject(signal.reason);
  signal.addEventListener('abort', () => request.abort(), { once: true });
  if (signal.aborted) reject(signal.reason);
  else request.send(file);
  return promise;
}
