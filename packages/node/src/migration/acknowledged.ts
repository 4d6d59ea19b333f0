import type { Duplex } from 'node:stream';
import { carry, joinEnds } from './joinStreams.ts';
import { SendWindow } from './sendWindow.ts';

/** The header of those that tell how much has arrived, and of those that want to be told. */
export const ACKNOWLEDGE_HEADER = 'vireo-acknowledge';

/** What the target sends: bytes of its QEMU, or how many bytes its QEMU has taken. Five bytes, and the bytes themselves. */
const KINDS = { bytes: 0, arrived: 1 } as const;
const HEAD_BYTES = 5;
/** Not every chunk is worth a message. */
const TELL_AFTER_BYTES = 128 * 1024;

function head(kind: number, value: number): Buffer {
  const buffer = Buffer.allocUnsafe(HEAD_BYTES);
  buffer[0] = kind;
  buffer.writeUInt32BE(value, 1);
  return buffer;
}

/** On the target: carries bytes both ways, and tells the source how many have arrived. */
export function joinTelling(source: Duplex, guest: Duplex): void {
  joinEnds(source, guest);
  let untold = 0;
  let isTelling = false;
  const tell = (): void => {
    isTelling = false;
    if (untold === 0 || !source.writable) return;
    source.write(head(KINDS.arrived, untold));
    untold = 0;
  };
  carry(source, guest, {
    onTaken: (bytes) => {
      untold += bytes;
      if (untold >= TELL_AFTER_BYTES) return tell();
      // The last of what has come is told, too: nobody knows whether more follows.
      if (!isTelling) setImmediate(tell);
      isTelling = true;
    },
  });
  carry(guest, source, { head: (bytes) => head(KINDS.bytes, bytes) });
}

/** On the source: carries bytes both ways, and keeps what is on its way to the target short. */
export function joinHeeding(guest: Duplex, target: Duplex, window = new SendWindow()): void {
  joinEnds(guest, target);
  // What the target tells is not heard when it has ended, nor while our guest does not take what comes before it.
  const isHeard = (): boolean => !target.readableEnded && !target.isPaused();
  const readOn = carry(guest, target, {
    onWritten: (bytes) => window.sent(bytes, performance.now()),
    isFull: () => window.isFull && isHeard(),
  });
  target.once('end', readOn);
  const read = reader({
    bytes: (chunk) => {
      if (guest.write(chunk)) return;
      target.pause();
      readOn();
    },
    arrived: (bytes) => {
      window.arrived(bytes, performance.now());
      readOn();
    },
  });
  target.on('data', read);
  guest.on('drain', () => target.resume());
  target.resume();
}

/** Takes apart what the target sends, in whatever pieces it comes. */
export function reader(to: {
  readonly bytes: (chunk: Buffer) => void;
  readonly arrived: (bytes: number) => void;
}): (chunk: Buffer) => void {
  let begun = Buffer.alloc(0);
  /** How many bytes of the message are to come. */
  let left = 0;
  return (chunk) => {
    let rest = begun.length > 0 ? Buffer.concat([begun, chunk]) : chunk;
    begun = Buffer.alloc(0);
    while (rest.length > 0) {
      if (left > 0) {
        const bytes = rest.subarray(0, left);
        left -= bytes.length;
        rest = rest.subarray(bytes.length);
        to.bytes(bytes);
        continue;
      }
      if (rest.length < HEAD_BYTES) {
        begun = Buffer.from(rest);
        return;
      }
      const value = rest.readUInt32BE(1);
      if (rest[0] === KINDS.arrived) to.arrived(value);
      else left = value;
      rest = rest.subarray(HEAD_BYTES);
    }
  };
}
