/** How much a terminal gets at once, so that it draws in between. */
const PIECE_BYTES = 128 * 1024;
/** A terminal keeps some thousand lines: of a flood that it cannot follow, only the end will be seen. */
const MOST_WAITING_BYTES = 16 * 1024 * 1024;

type Write = (bytes: Uint8Array, done: () => void) => void;

/**
 * Hands bytes on one piece after the other, each when the last has been dealt with. WebSockets of browsers cannot be told
 * to wait, so what comes faster waits here; beyond a limit the oldest is left out, and the reader is told.
 */
export class PacedWriter {
  readonly #write: Write;
  readonly #mostWaitingBytes: number;
  #waiting: Uint8Array[] = [];
  #waitingBytes = 0;
  #isWriting = false;

  constructor(write: Write, mostWaitingBytes = MOST_WAITING_BYTES) {
    this.#write = write;
    this.#mostWaitingBytes = mostWaitingBytes;
  }

  push(bytes: Uint8Array): void {
    for (let start = 0; start < bytes.length; start += PIECE_BYTES)
      this.#waiting.push(bytes.subarray(start, start + PIECE_BYTES));
    this.#waitingBytes += bytes.length;
    if (this.#waitingBytes > this.#mostWaitingBytes) this.#leaveOut();
    if (!this.#isWriting) this.#next();
  }

  #next(): void {
    const piece = this.#waiting.shift();
    this.#isWriting = piece !== undefined;
    if (!piece) return;
    this.#waitingBytes -= piece.length;
    this.#write(piece, () => this.#next());
  }

  #leaveOut(): void {
    let leftOut = 0;
    while (this.#waitingBytes > this.#mostWaitingBytes / 2) {
      const { length } = this.#waiting.shift() ?? { length: this.#waitingBytes };
      this.#waitingBytes -= length;
      leftOut += length;
    }
    // CAN ends an escape sequence that was cut through.
    const note = new TextEncoder().encode(`\x18\x1b[0m\r\n[${leftOut} bytes were left out]\r\n`);
    this.#waiting.unshift(note);
    this.#waitingBytes += note.length;
  }
}
