import type { Credentials } from './credentials.ts';
import type { WatchEvent } from './follow.ts';
import { jsonLines } from './lines.ts';
import { refusedFrom } from './refused.ts';
import { Silence } from './silence.ts';
import { WatchSocket } from './watchSocket.ts';

/** How requests reach the Kubernetes API with the identity of the user. */
export interface Carrier {
  fetch(path: string, init?: RequestInit): Promise<Response>;
  /** `path` has `watch=1` already. Resolves when the server ends the watch. `onOpen` is called when it has begun. */
  watch(path: string, onEvent: (event: WatchEvent) => void, signal: AbortSignal, onOpen: () => void): Promise<void>;
  /** A stream of a guest. */
  open(path: string): WebSocket;
  /** Ends everything that is under way. */
  close(): void;
}

const STREAM = 'plain.kubevirt.io';
/** The server sends a bookmark each minute if nothing happens. */
const SILENCE_MS = 75_000;
const socketUrl = (path: string): string => `${location.origin.replace(/^http/, 'ws')}${path}`;

/** Straight to the API server that the page comes from, with a bearer token or with the browser's certificate. */
export function directCarrier(credentials: Credentials): Carrier {
  const open = new OpenRequests();
  const withToken = (path: string, init: RequestInit = {}): Promise<Response> => {
    const signal = open.signal(init.signal);
    return retried(credentials, signal, (token) => {
      const headers = new Headers(init.headers);
      if (token !== undefined) headers.set('authorization', `Bearer ${token}`);
      // Without a token, the certificate is what counts, which browsers take for a credential like cookies.
      const mode = token === undefined ? 'same-origin' : 'omit';
      return fetch(path, { ...init, headers, signal, credentials: mode, redirect: 'error' });
    });
  };
  return {
    fetch: withToken,
    async watch(path, onEvent, signal, onOpen) {
      const silence = new Silence(SILENCE_MS);
      try {
        const response = await withToken(path, { signal: AbortSignal.any([signal, silence.signal]) });
        if (!response.ok || !response.body) throw refusedFrom(response.status, await response.text());
        onOpen();
        const read = jsonLines((value) => onEvent(value as WatchEvent));
        await forEachPart(response.body, (part) => {
          silence.heard();
          read(part);
        });
      } finally {
        silence.stop();
      }
    },
    // Browsers set no headers on WebSockets; Kubernetes takes the token as a protocol, without padding.
    open(path) {
      const { token } = credentials;
      if (token === undefined) return open.socket(path);
      const encoded = btoa(token).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '');
      return open.socket(path, `base64url.bearer.authorization.k8s.io.${encoded}`);
    },
    close: () => open.close(),
  };
}

async function forEachPart(body: NonNullable<Response['body']>, read: (part: string) => void): Promise<void> {
  const reader = body.pipeThrough(new TextDecoderStream()).getReader();
  try {
    for (let part = await reader.read(); !part.done; part = await reader.read()) read(part.value);
  } finally {
    reader.cancel().catch(() => {});
  }
}

/** The header that forms of other pages cannot send. */
export const OWN_HEADER = 'x-vireo-dashboard';

/** Through the `vireo dashboard` that the page comes from; a cookie that scripts cannot read says who asks. */
export function localCarrier(credentials: Credentials): Carrier {
  const open = new OpenRequests();
  const watches = new WatchSocket(() => new WebSocket(socketUrl('/dashboard/watches')));
  return {
    fetch(path, init = {}) {
      const headers = new Headers(init.headers);
      headers.set(OWN_HEADER, '1');
      const signal = open.signal(init.signal);
      const send = () => fetch(path, { ...init, headers, signal, credentials: 'same-origin', redirect: 'error' });
      // Only that of `vireo dashboard` itself is about this session; the cluster's is for the user to read.
      return retried(credentials, signal, send, (response) => response.headers.has(OWN_HEADER));
    },
    watch: (path, onEvent, signal, onOpen) => watches.watch(path, onEvent, signal, onOpen),
    open: (path) => open.socket(path),
    close() {
      watches.close();
      open.close();
    },
  };
}

/** Sends a request, and once more if the user had to log in again meanwhile. */
async function retried(
  credentials: Credentials,
  signal: AbortSignal,
  send: (token: string | undefined) => Promise<Response>,
  isMeant: (response: Response) => boolean = () => true,
): Promise<Response> {
  const { token } = credentials;
  const response = await send(token);
  if (response.status !== 401 || !isMeant(response)) return response;
  return (await credentials.rejected(token, signal)) ? send(credentials.token) : response;
}

/** Requests and sockets that end with the session. */
class OpenRequests {
  readonly #closed = new AbortController();
  readonly #sockets = new Set<WebSocket>();

  signal(own: AbortSignal | null | undefined): AbortSignal {
    return own ? AbortSignal.any([own, this.#closed.signal]) : this.#closed.signal;
  }

  socket(path: string, ...protocols: readonly string[]): WebSocket {
    const socket = new WebSocket(socketUrl(path), [STREAM, ...protocols]);
    this.#sockets.add(socket);
    socket.addEventListener('close', () => this.#sockets.delete(socket));
    return socket;
  }

  close(): void {
    this.#closed.abort(new Error('You are logged out.'));
    for (const socket of this.#sockets) socket.close();
  }
}
