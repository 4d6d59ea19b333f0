import type { WebSocket } from 'ws';

/** Bytes that may wait in one direction before its source is asked to hold. */
const HIGH_WATER_BYTES = 1024 * 1024;
const LOW_WATER_BYTES = HIGH_WATER_BYTES / 4;

const NORMAL = 1000;
const ABNORMAL = 1006;
const NO_CODE = 1005;
const BROKEN = 1011;

/** Carries bytes both ways until either end closes; the other is closed the same way. Both start paused or fresh. */
export function bridge(client: WebSocket, node: WebSocket): void {
  carry(client, node);
  carry(node, client);
  client.resume();
  node.resume();
}

function carry(from: WebSocket, to: WebSocket): void {
  from.on('message', (data: Buffer) => {
    if (to.readyState !== to.OPEN) return;
    to.send(data, { binary: true }, () => {
      if (from.isPaused && to.bufferedAmount <= LOW_WATER_BYTES) from.resume();
    });
    if (to.bufferedAmount > HIGH_WATER_BYTES) from.pause();
  });
  from.on('close', (code, reason) => closeLike(to, code, reason.toString()));
  // A broken connection is followed by its close.
  from.on('error', () => {});
}

/** A normal end stays one; anything else becomes a code that can be sent. */
function closeLike(socket: WebSocket, code: number, reason: string): void {
  if (socket.readyState !== socket.OPEN) return;
  // A paused socket never reads the other side's farewell.
  socket.resume();
  if (code === NORMAL || code === NO_CODE) socket.close(NORMAL, reason);
  else socket.close(code === ABNORMAL ? BROKEN : code, reason);
}
