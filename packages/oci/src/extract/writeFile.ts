import { open } from 'node:fs/promises';

const HOLE = 64 * 1024;
const ZEROS = Buffer.alloc(HOLE);

/** Writes a file and leaves holes where the content is zero: disks are mostly that. */
export async function writeSparse(path: string, content: AsyncIterable<Buffer>): Promise<number> {
  const file = await open(path, 'wx', 0o600);
  let size = 0;
  try {
    for await (const chunk of content)
      for (let at = 0; at < chunk.length; ) {
        // Pieces end at multiples of HOLE in the file, so that zeros make whole holes.
        const piece = chunk.subarray(at, at + HOLE - (size % HOLE));
        if (!piece.equals(ZEROS.subarray(0, piece.length))) await writeAll(file, piece, size);
        at += piece.length;
        size += piece.length;
      }
    await file.truncate(size);
  } finally {
    await file.close();
  }
  return size;
}

async function writeAll(file: Awaited<ReturnType<typeof open>>, piece: Buffer, position: number): Promise<void> {
  for (let done = 0; done < piece.length; ) {
    const { bytesWritten } = await file.write(piece, done, piece.length - done, position + done);
    done += bytesWritten;
  }
}
