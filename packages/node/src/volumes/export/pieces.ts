import { constants } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';

/** How much is read, compressed and sent at a time. */
export const PIECE_BYTES = 1 << 20;

/** Guests that share the volume may have put a link in the place of the file. */
const READ = constants.O_RDONLY | constants.O_NOFOLLOW;

/** Which bytes, `end` excluded. */
export interface Extent {
  readonly start: number;
  readonly end: number;
}

/** Opens a file for as long as its pieces are read; `expectStill` throws where it has changed meanwhile. */
export async function* piecesOf(path: string, { start, end }: Extent, expectStill: () => void): AsyncGenerator<Buffer> {
  const file = await open(path, READ);
  try {
    for (let at = start; at < end; ) {
      const piece = await readPiece(file, at, Math.min(PIECE_BYTES, end - at));
      expectStill();
      if (piece.length === 0) throw new Error(`${path} ends after ${at} of ${end} bytes`);
      yield piece;
      at += piece.length;
    }
  } finally {
    await file.close();
  }
}

async function readPiece(file: FileHandle, at: number, length: number): Promise<Buffer> {
  const buffer = Buffer.allocUnsafe(length);
  let read = 0;
  while (read < length) {
    const { bytesRead } = await file.read(buffer, read, length - read, at + read);
    if (bytesRead === 0) break;
    read += bytesRead;
  }
  return buffer.subarray(0, read);
}

/** A file or a device as it is now. */
export interface Measured {
  readonly sizeBytes: number;
  /** Tells one state of a file from another; of a device nothing does. */
  readonly mark: string | undefined;
}

export async function measure(path: string): Promise<Measured> {
  const file = await open(path, READ);
  try {
    const status = await file.stat();
    if (status.isBlockDevice()) return { sizeBytes: await deviceSize(file), mark: undefined };
    const { size, ino, mtimeMs } = status;
    return {
      sizeBytes: size,
      mark: [ino, size, Math.round(mtimeMs * 1000)].map((each) => each.toString(16)).join('-'),
    };
  } finally {
    await file.close();
  }
}

/** The first byte that cannot be read, found by halving. */
async function deviceSize(file: FileHandle): Promise<number> {
  const byte = Buffer.alloc(1);
  const has = async (at: number): Promise<boolean> => (await file.read(byte, 0, 1, at)).bytesRead === 1;
  let [known, beyond] = [0, 1];
  while (await has(beyond - 1)) [known, beyond] = [beyond, beyond * 2];
  while (known < beyond) {
    const middle = Math.floor((known + beyond) / 2);
    if (await has(middle)) known = middle + 1;
    else beyond = middle;
  }
  return known;
}
