import { open } from 'node:fs/promises';

const SECTOR_BYTES = 2048;
const FIRST_SECTOR = 16;
const SECTORS = 16;
/** What the descriptors of ISO 9660 and of UDF begin with, after one byte. */
const VOLUME_DESCRIPTOR_IDS = ['CD001', 'NSR02', 'NSR03'];

/** Whether a file or device has a file system that CD-ROMs and DVDs have. */
export async function hasOpticalFileSystem(path: string): Promise<boolean> {
  const file = await open(path, 'r');
  try {
    const { buffer, bytesRead } = await file.read({
      buffer: Buffer.alloc(SECTORS * SECTOR_BYTES),
      position: FIRST_SECTOR * SECTOR_BYTES,
    });
    const starts = Array.from({ length: SECTORS }, (_, index) => index * SECTOR_BYTES + 1);
    return starts.some((at) => at < bytesRead && VOLUME_DESCRIPTOR_IDS.includes(buffer.toString('latin1', at, at + 5)));
  } finally {
    await file.close();
  }
}
