import { crc32, deflateRawSync } from 'node:zlib';

/** A file of an archive. */
export interface ArchiveFile {
  /** Path in the archive, with slashes. */
  readonly name: string;
  readonly data: Buffer;
}

const LOCAL = 0x04034b50;
const CENTRAL = 0x02014b50;
const END = 0x06054b50;
const VERSION = 20;
/** Made on Unix, whose modes stand in the upper half of the external attributes. */
const MADE_BY = (3 << 8) | VERSION;
/** An ordinary file that its owner reads and writes. */
const MODE = 0o100600;
const UTF8_NAMES = 1 << 11;
const DEFLATED = 8;

/** The files as a ZIP archive, piece by piece; every tool reads it. What a file holds must fit into memory. */
export async function* zipped(
  files: AsyncIterable<ArchiveFile> | Iterable<ArchiveFile>,
  now: Date,
): AsyncGenerator<Buffer> {
  const directory: Buffer[] = [];
  let offset = 0;
  for await (const { name, data } of files) {
    const packed = deflateRawSync(data);
    const path = Buffer.from(name, 'utf8');
    const fields = commonFields(path, data, packed, now);
    const head = Buffer.concat([uint32(LOCAL), uint16(VERSION), fields, uint16(0), path]);
    directory.push(
      Buffer.concat([
        uint32(CENTRAL),
        uint16(MADE_BY),
        uint16(VERSION),
        fields,
        // Neither extra field, comment nor disk number; no text.
        Buffer.alloc(2 * 4),
        uint32((MODE << 16) >>> 0),
        uint32(offset),
        path,
      ]),
    );
    yield head;
    yield packed;
    offset += head.length + packed.length;
  }
  const entries = Buffer.concat(directory);
  yield entries;
  const count = uint16(directory.length);
  yield Buffer.concat([uint32(END), Buffer.alloc(4), count, count, uint32(entries.length), uint32(offset), uint16(0)]);
}

/** What the head of a file and its entry in the directory have in common. */
const commonFields = (path: Buffer, data: Buffer, packed: Buffer, now: Date): Buffer =>
  Buffer.concat([
    uint16(UTF8_NAMES),
    uint16(DEFLATED),
    uint16((now.getUTCHours() << 11) | (now.getUTCMinutes() << 5) | (now.getUTCSeconds() >> 1)),
    uint16(((now.getUTCFullYear() - 1980) << 9) | ((now.getUTCMonth() + 1) << 5) | now.getUTCDate()),
    uint32(crc32(data)),
    uint32(packed.length),
    uint32(data.length),
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
