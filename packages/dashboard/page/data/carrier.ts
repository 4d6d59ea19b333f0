import type { WatchEvent } from './follow.ts';
import { jsonLines } from './lines.ts';
import { refusedFrom } from './refused.ts';
import { WatchSocket } from './watchSocket.ts';

/** How requests reach the Kubernetes API with the identity of the user. */
export interface Carrier {
  fetch(path: string, init?: RequestInit): Promise<Response>;
  /** `path` has `watch=1` already. Resolves when the server ends the watch. */
  watch(path: string, onEvent: (event: WatchEvent) => void, signal: AbortSignal): Promise<void>;
  /** A stream of a guest. */
  open(path: string): WebSocket;
  close(): void;
}

const STREAM = 'plain.kubevirt.io';
const socketUrl = (path: string): string => `${location.origin.replace(/^http/, 'ws')}${path}`;

/** Straight to the API server that the page comes from, with a bearer token that only this closure has. */
export function tokenCarrier(token: string, onRejected: () => void): Carrier {
  const withToken = async (path: string, init: RequestInit = {}): Promise<Response> => {
    const headers = new Headers(init.headers);
    headers.set('authorization', `Bearer ${token}`);
    const response = await fetch(path, { ...init, headers, credentials: 'omit', redirect: 'error' });
    if (response.status === 401) onRejected();
    return response;
  };
  return {
    fetch: withToken,
    async watch(path, onEvent, signal) {
      const response = await withToken(path, { signal });
      if (!response.ok || !response.body) throw refusedFrom(response.status, await response.text());
      const read = jsonLines((value) => onEvent(value as WatchEvent));
      const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
      try {
        for (let part = await reader.read(); !part.done; part = await reader.read()) read(part.value);
      } finally {
        reader.cancel().catch(() => {});
      }
    },
    // Browsers set no headers on WebSockets; Kubernetes takes the token as a protocol, without padding.
    open(path) {
      const encoded = btoa(token).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '');
      return new WebSocket(socketUrl(path), [STREAM, `base64url.bearer.authorization.k8s.io.${encoded}`]);
    },
    close() {},
  };
}

/** The header that forms of other pages cannot send. */
export const OWN_HEADER = 'x-vireo-dashboard';

/** Through the `vireo dashboard` that the page comes from; a cookie that scripts cannot read says who asks. */
export function localCarrier(onRejected: () => void): Carrier {
  const watches = new WatchSocket(() => new WebSocket(socketUrl('/dashboard/watches')));
  return {
    async fetch(path, init = {}) {
      const headers = new Headers(init.headers);
      headers.set(OWN_HEADER, '1');
      const response = await fetch(path, { ...init, headers, credentials: 'same-origin', redirect: 'error' });
      if (response.status === 401 && response.headers.has(OWN_HEADER)) onRejected();
      return response;
    },
    watch: (path, onEvent, signal) => watches.watch(path, onEvent, signal),
    open: (path) => new WebSocket(socketUrl(path), [STREAM]),
    close: () => watches.close(),
  };
}
