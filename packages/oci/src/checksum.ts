import { createReadStream } from 'node:fs';
import { crc32 } from 'node:zlib';

/** CRC-32 of a file: what KubeVirt shows as the checksum of a container disk. */
export async function checksumOf(path: string): Promise<number> {
  let checksum = 0;
  for await (const chunk of createReadStream(path, { highWaterMark: 1024 * 1024 })) checksum = crc32(chunk, checksum);
  return checksum;
}
