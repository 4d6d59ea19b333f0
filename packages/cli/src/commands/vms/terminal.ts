import type { Readable, Writable } from 'node:stream';
import type { WebSocket } from 'ws';

/** How a stream came to its end. */
export type StreamEnd =
  | { readonly by: 'user' }
  | { readonly by: 'server'; readonly code: number; readonly reason: string };

/** Standard input: raw while it is a terminal, so that the guest gets every key. */
export interface TerminalInput extends Readable {
  readonly isTTY?: boolean;
  setRawMode?(raw: boolean): unknown;
}

/** Ctrl-] and Ctrl-5. */
const ESCAPE = 0x1d;

/** Copies both ways until the user leaves, the input ends or the server closes the stream. */
export async function copyTerminal(socket: WebSocket, input: TerminalInput, output: Writable): Promise<StreamEnd> {
  const closed = new Promise<StreamEnd>((resolve) => {
    socket.once('close', (code, reason) => resolve({ by: 'server', code, reason: reason.toString() }));
  });
  socket.on('message', (data: Buffer) => {
    if (output.write(data)) return;
    socket.pause();
    output.once('drain', () => socket.resume());
  });
  // Whoever read the output has gone, as `head` does.
  output.once('error', () => socket.close(1000));
  setRaw(input, true);
  socket.resume();
  try {
    return await Promise.race([closed, sendInput(socket, input).then(() => leave(socket, closed))]);
  } finally {
    setRaw(input, false);
    // A terminal that is still being read would keep the process alive.
    input.destroy();
  }
}

function setRaw(input: TerminalInput, raw: boolean): void {
  if (input.isTTY) input.setRawMode?.(raw);
}

/** Resolves when the user has left, there is no more input, or nobody to send it to. */
async function sendInput(socket: WebSocket, input: Readable): Promise<void> {
  try {
    for await (const chunk of input as AsyncIterable<Buffer>) {
      const { bytes, leaves } = beforeEscape(chunk);
      if (bytes.length > 0) await send(socket, bytes);
      if (leaves) return;
    }
  } catch (error) {
    // Sending on a stream that the server ended fails; the close tells why.
    if (socket.readyState === socket.OPEN) throw error;
  }
}

/** What is to be sent of a chunk, and whether the user leaves after it. */
export function beforeEscape(chunk: Buffer): { readonly bytes: Buffer; readonly leaves: boolean } {
  const at = chunk.indexOf(ESCAPE);
  return at < 0 ? { bytes: chunk, leaves: false } : { bytes: chunk.subarray(0, at), leaves: true };
}

const send = (socket: WebSocket, bytes: Buffer): Promise<void> =>
  new Promise((resolve, reject) => {
    socket.send(bytes, { binary: true }, (error) => (error ? reject(error) : resolve()));
  });

/** Says goodbye, and waits for the answer: what the guest sent before it is still shown. */
async function leave(socket: WebSocket, closed: Promise<StreamEnd>): Promise<StreamEnd> {
  if (socket.readyState !== socket.OPEN) return closed;
  socket.close(1000);
  await closed;
  return { by: 'user' };
}
