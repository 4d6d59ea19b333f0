import { constants } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { join } from 'node:path';
import { NO_METRICS } from './metricsXml.ts';

/** As large as vhostmd makes it. */
const DISK_BYTES = 262_144;
const SIGNATURE = 'mvbd';
const HEADER_BYTES = 16;
/** Of the header: the writer is at work. */
const [LOCKED, FREE] = [1, 0];

/** Where the disk of a volume is, below the files of its VMI. */
export const metricsDisk = (directory: string, volume: string): string => join(directory, `${volume}.metrics`);

/** The header of the disk: signature, lock, checksum of the body, and its length. */
function header(lock: number, body: Buffer): Buffer {
  const bytes = Buffer.alloc(HEADER_BYTES);
  bytes.write(SIGNATURE, 'latin1');
  bytes.writeInt32BE(lock, 4);
  bytes.writeInt32BE(body.reduce((sum, byte) => sum + byte, 0) | 0, 8);
  bytes.writeInt32BE(body.length, 12);
  return bytes;
}

/** Makes the disk on which a guest finds metrics, unless it is there. */
export async function createMetricsDisk(path: string): Promise<void> {
  const { O_WRONLY, O_CREAT, O_EXCL } = constants;
  const file = await open(path, O_WRONLY | O_CREAT | O_EXCL, 0o600).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'EEXIST') throw error;
  });
  if (!file) return;
  try {
    await file.truncate(DISK_BYTES);
    await write(file, NO_METRICS);
  } finally {
    await file.close();
  }
}

/** Writes metrics to the disk, where it is: a guest reads it meanwhile, and goes by the lock. */
export async function writeMetricsDisk(path: string, xml: string): Promise<void> {
  const file = await open(path, constants.O_WRONLY | constants.O_NOFOLLOW);
  try {
    await write(file, xml);
  } finally {
    await file.close();
  }
}

async function write(file: FileHandle, xml: string): Promise<void> {
  // The program that prints it ends no line.
  const body = Buffer.from(`${xml}\n`);
  if (HEADER_BYTES + body.length > DISK_BYTES)
    throw new Error(`metrics of ${body.length} bytes do not fit on the disk`);
  await file.write(header(LOCKED, body), 0, HEADER_BYTES, 0);
  await file.write(body, 0, body.length, HEADER_BYTES);
  await file.write(header(FREE, body), 0, HEADER_BYTES, 0);
}
