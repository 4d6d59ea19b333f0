import { ApiError } from '@vireo/api';
import type { HttpConfig } from '@vireo/kube';
import type { RawData, WebSocket } from 'ws';
import { openStream } from '../vms/http1.ts';
import { reasonOf } from '../vms/refusal.ts';

/** The longest reason that a close frame has room for. */
const MOST_REASON_BYTES = 123;
/** Codes of the WebSocket protocol that may be sent. */
const isSendable = (code: number): boolean => code === 1000 || (code >= 1007 && code <= 1014) || code >= 3000;
const MOST_BUFFERED_BYTES = 1 << 20;

/**
 * Carries a console between the page and the cluster. The page is connected before the cluster answers: browsers do not
 * tell why a handshake failed, so that a refusal is told by a close code of 4000 + HTTP's, and by its reason.
 */
export async function carryStream(page: WebSocket, cluster: HttpConfig, path: string): Promise<void> {
  page.pause();
  page.on('error', () => page.terminate());
  let guest: WebSocket;
  try {
    guest = await openStream(cluster, path);
  } catch (error) {
    page.resume();
    page.close(4000 + (error instanceof ApiError ? error.code : 502), shortened(reasonOf(error)));
    return;
  }
  guest.on('error', () => guest.terminate());
  join(page, guest);
  join(guest, page);
  for (const socket of [page, guest]) socket.resume();
}

/** What one side sends, the other gets, at the pace at which it takes it; the end of one ends the other. */
function join(from: WebSocket, to: WebSocket): void {
  from.on('message', (data: RawData) => {
    if (to.readyState !== to.OPEN) return;
    to.send(data, { binary: true }, () => {
      if (from.isPaused && to.bufferedAmount < MOST_BUFFERED_BYTES) from.resume();
    });
    if (to.bufferedAmount >= MOST_BUFFERED_BYTES) from.pause();
  });
  from.on('close', (code, reason) => {
    if (isSendable(code)) to.close(code, reason);
    else to.terminate();
  });
  if (from.readyState >= from.CLOSING) to.terminate();
}

/** Cut by bytes, at a whole character. */
function shortened(text: string): string {
  const bytes = Buffer.from(text);
  if (bytes.length <= MOST_REASON_BYTES) return text;
  return bytes
    .subarray(0, MOST_REASON_BYTES)
    .toString()
    .replace(/\uFFFD+$/, '');
}
