import { open } from 'node:fs/promises';
import { BadImage } from './badImage.ts';

/** As much of an image as has to be seen; the names of other files stand behind the fixed part. */
export const QCOW2_HEAD_BYTES = 4096;

const FIXED_BYTES = 72;
const FEATURES_AT = 72;
/** Of the features that an image cannot be read without. */
const CORRUPT = 2n;
const EXTERNAL_DATA = 4n;

export interface Qcow2Header {
  readonly virtualBytes: number;
  readonly clusterBytes: number;
}

/**
 * Reads how a qcow2 image begins, and refuses one that leans on other files: whoever made it would choose which files
 * of this host are read. QEMU is not asked, for it opens those files to answer.
 */
export function qcow2Header(head: Buffer): Qcow2Header {
  if (head.length < FIXED_BYTES) throw new BadImage('the image is truncated: it ends within its header');
  const version = head.readUInt32BE(4);
  if (version !== 2 && version !== 3)
    throw new BadImage(`the image is qcow2 version ${version}; only versions 2 and 3 are supported`);
  const nameAt = Number(head.readBigUInt64BE(8));
  const features = version === 3 && head.length >= FEATURES_AT + 8 ? head.readBigUInt64BE(FEATURES_AT) : 0n;
  if (nameAt !== 0) {
    const name = head.subarray(nameAt, nameAt + Math.min(head.readUInt32BE(16), 1023)).toString('utf8');
    throw new BadImage(`the image has a backing file: ${JSON.stringify(name)}`);
  }
  if (features & EXTERNAL_DATA) throw new BadImage('the image keeps its data in an external file');
  if (features & CORRUPT) throw new BadImage('the image is marked as corrupt');
  if (head.readUInt32BE(32) !== 0) throw new BadImage('the image is encrypted');
  const virtualBytes = head.readBigUInt64BE(24);
  if (virtualBytes === 0n || virtualBytes > BigInt(Number.MAX_SAFE_INTEGER))
    throw new BadImage(`the image has a disk of ${virtualBytes} bytes`);
  return { virtualBytes: Number(virtualBytes), clusterBytes: 2 ** head.readUInt32BE(20) };
}

/** The same from a file. */
export async function readQcow2Header(path: string): Promise<Qcow2Header> {
  const file = await open(path);
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(QCOW2_HEAD_BYTES), 0, QCOW2_HEAD_BYTES, 0);
    return qcow2Header(buffer.subarray(0, bytesRead));
  } finally {
    await file.close();
  }
}
