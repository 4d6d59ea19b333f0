import { pipeline, Readable } from 'node:stream';
import { crc32, createDeflateRaw } from 'node:zlib';

/** A file of an archive. */
export interface ArchiveFile {
  /** Path in the archive, with slashes. */
  readonly name: string;
  /** All of it, or piece by piece: then it need not fit into memory. */
  readonly data: Buffer | AsyncIterable<Buffer>;
}

const LOCAL = 0x04034b50;
const DESCRIPTOR = 0x08074b50;
const CENTRAL = 0x02014b50;
const END = 0x06054b50;
const VERSION = 20;
/** Made on Unix, whose modes stand in the upper half of the external attributes. */
const MADE_BY = (3 << 8) | VERSION;
/** An ordinary file that its owner reads and writes. */
const MODE = 0o100600;
/** Names are UTF-8, and sizes stand behind the data, for they are known only then. */
const FLAGS = (1 << 11) | (1 << 3);
const DEFLATED = 8;
/** Larger archives have another format. */
const MAX_BYTES = 0xffff_ffff;
const PIECE_BYTES = 64 * 1024;

/** What is known of a file when all of it has been seen. */
interface Totals {
  crc: number;
  packed: number;
  size: number;
}

/** The files as a ZIP archive, piece by piece; every tool reads it. */
export async function* zip(
  files: AsyncIterable<ArchiveFile> | Iterable<ArchiveFile>,
  now: Date,
): AsyncGenerator<Buffer> {
  const directory: Buffer[] = [];
  let offset = 0;
  for await (const { name, data } of files) {
    const path = Buffer.from(name, 'utf8');
    const totals: Totals = { crc: 0, packed: 0, size: 0 };
    const head = Buffer.concat([uint32(LOCAL), uint16(VERSION), commonFields(path, totals, now), uint16(0), path]);
    yield head;
    yield* deflate(data, totals);
    const sizes = [uint32(totals.crc), uint32(totals.packed), uint32(totals.size)];
    const descriptor = Buffer.concat([uint32(DESCRIPTOR), ...sizes]);
    yield descriptor;
    directory.push(
      Buffer.concat([
        uint32(CENTRAL),
        uint16(MADE_BY),
        uint16(VERSION),
        commonFields(path, totals, now),
        // Neither extra field, comment nor disk number; no text.
        Buffer.alloc(2 * 4),
        uint32((MODE << 16) >>> 0),
        uint32(offset),
        path,
      ]),
    );
    offset += head.length + totals.packed + descriptor.length;
    if (offset > MAX_BYTES || totals.size > MAX_BYTES)
      throw new Error(`the archive is larger than ${MAX_BYTES} bytes, at ${name}`);
  }
  const entries = Buffer.concat(directory);
  yield entries;
  const count = uint16(directory.length);
  yield Buffer.concat([uint32(END), Buffer.alloc(4), count, count, uint32(entries.length), uint32(offset), uint16(0)]);
}

/** The data of a file in short. Fills in what there was of it. */
async function* deflate(data: ArchiveFile['data'], totals: Totals): AsyncGenerator<Buffer> {
  const measured = async function* (): AsyncGenerator<Buffer> {
    for await (const piece of Buffer.isBuffer(data) ? pieces(data) : data) {
      totals.crc = crc32(piece, totals.crc);
      totals.size += piece.length;
      yield piece;
    }
  };
  // Whoever reads it hears of a failure.
  const packing = pipeline(Readable.from(measured(), { objectMode: false }), createDeflateRaw(), () => {});
  for await (const piece of packing as AsyncIterable<Buffer>) {
    totals.packed += piece.length;
    yield piece;
  }
}

function* pieces(data: Buffer): Iterable<Buffer> {
  for (let at = 0; at < data.length; at += PIECE_BYTES) yield data.subarray(at, at + PIECE_BYTES);
}

/** What the head of a file and its entry in the directory have in common. */
const commonFields = (path: Buffer, { crc, packed, size }: Totals, now: Date): Buffer =>
  Buffer.concat([
    uint16(FLAGS),
    uint16(DEFLATED),
    uint16((now.getUTCHours() << 11) | (now.getUTCMinutes() << 5) | (now.getUTCSeconds() >> 1)),
    uint16(((now.getUTCFullYear() - 1980) << 9) | ((now.getUTCMonth() + 1) << 5) | now.getUTCDate()),
    uint32(crc),
    uint32(packed),
    uint32(size),
    uint16(path.length),
  ]);

function uint16(value: number): Buffer {
  const bytes = Buffer.alloc(2);
  bytes.writeUInt16LE(value);
  return bytes;
}

function uint32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32LE(value);
  return bytes;
}
