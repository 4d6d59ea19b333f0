import { crc32, inflateRawSync } from 'node:zlib';

const END_BYTES = 22;

/** The files of a ZIP archive by their names, read from its directory as any tool does. */
export function unzip(archive: Buffer): Map<string, Buffer> {
  const end = archive.length - END_BYTES;
  if (archive.readUInt32LE(end) !== 0x06054b50) throw new Error('the archive has no end record');
  const files = new Map<string, Buffer>();
  let at = archive.readUInt32LE(end + 16);
  for (let left = archive.readUInt16LE(end + 10); left > 0; left--) {
    const [crc, packed, , nameLength] = [16, 20, 24]
      .map((offset) => archive.readUInt32LE(at + offset))
      .concat(archive.readUInt16LE(at + 28)) as [number, number, number, number];
    const name = archive.subarray(at + 46, at + 46 + nameLength).toString();
    const head = archive.readUInt32LE(at + 42);
    const start = head + 30 + archive.readUInt16LE(head + 26) + archive.readUInt16LE(head + 28);
    const data = inflateRawSync(archive.subarray(start, start + packed));
    if (crc32(data) !== crc) throw new Error(`the checksum of ${name} is wrong`);
    files.set(name, data);
    at += 46 + nameLength + archive.readUInt16LE(at + 30) + archive.readUInt16LE(at + 32);
  }
  return files;
}
