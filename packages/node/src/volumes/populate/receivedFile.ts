import { rm } from 'node:fs/promises';
import { Qcow2Map } from './qcow2Map.ts';
import { inspect } from './qemuImg.ts';
import { SparseFile } from './sparseFile.ts';

/** Data that is coming in, on its way to becoming a disk. */
export interface ReceivedFile {
  write(chunk: Buffer): Promise<void>;
  /** Nothing more comes. Says what there is now: the disk, or an image to make it of. */
  finish(): Promise<'raw' | 'qcow2'>;
  abandon(): Promise<void>;
}

/** How large the disk for so much data is to be. */
type Size = (dataBytes: number) => number;

/** What comes in is the disk. */
export async function receivedRaw(path: string, size: Size): Promise<ReceivedFile> {
  const file = await SparseFile.create(path, { isDurable: true });
  return {
    write: (chunk) => file.write(chunk),
    finish: async () => {
      await file.finish(size(file.length));
      return 'raw';
    },
    abandon: () => file.abandon(),
  };
}

/**
 * What comes in is a qcow2 image. Where its tables stand before its data, that is written to the disk at once; else the
 * image is kept as a whole.
 */
export async function receivedImage(
  head: Buffer,
  paths: { readonly raw: string; readonly image: string },
  { limit, size, isDurable }: { readonly limit: number; readonly size: Size; readonly isDurable: boolean },
): Promise<ReceivedFile> {
  const image = await SparseFile.create(paths.image, { isDurable });
  const map = Qcow2Map.of(head, limit);
  if (!map)
    return {
      write: (chunk) => image.write(chunk),
      finish: async () => {
        await image.finish(0);
        return 'qcow2';
      },
      abandon: () => image.abandon(),
    };
  const disk = await SparseFile.create(paths.raw, { isDurable: true });
  const files = { image, disk };
  return {
    write: async (chunk) => {
      for (const { to, bytes, position } of map.take(chunk)) await files[to].write(bytes, position);
    },
    finish: async () => {
      if (!map.isComplete) await putBack(map, disk, image);
      await image.finish(map.length);
      if (!map.isComplete) {
        await disk.abandon();
        await rm(paths.raw);
        return 'qcow2';
      }
      // Where the data would be there are holes, and what is looked at are the tables.
      const [checked, written] = await Promise.allSettled([
        inspect(paths.image),
        disk.finish(size(map.virtualBytes), map.virtualBytes),
      ]);
      for (const each of [checked, written]) if (each.status === 'rejected') throw each.reason;
      await rm(paths.image);
      return 'raw';
    },
    abandon: async () => {
      await Promise.all([image.abandon(), disk.abandon()]);
    },
  };
}

/** Makes the image whole again, out of what went to the disk. */
async function putBack(map: Qcow2Map, disk: SparseFile, image: SparseFile): Promise<void> {
  for (const { disk: from, image: to, length } of map.placed()) {
    const bytes = Buffer.allocUnsafe(length);
    await disk.read(bytes, from);
    await image.write(bytes, to);
  }
}
