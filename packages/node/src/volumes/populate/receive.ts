import { mkdir, open, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { formatBytes } from '@vireo/api/quantity.ts';
import { runChild } from '../program.ts';
import { NoSpace, type VolumeStore } from '../store.ts';
import { BadImage } from './badImage.ts';
import { qcow2Header } from './qcow2Header.ts';
import { convert, inspect } from './qemuImg.ts';
import { type ReceivedFile, receivedImage, receivedRaw } from './receivedFile.ts';
import { type Bytes, unpack } from './unpack.ts';

/** Below a volume's directory: everything that is not its disk yet. */
const FILLING = '.filling';
const RAW = 'disk.raw';
const IMAGE = 'image.qcow2';
/** What it is shows when it is there. */
const MADE = 'made';
/**
 * Says that the image is there as a whole: from then on it is ours to make a disk of it, whatever happens. It has the
 * format, and the boot of the host that the image may not outlive because nobody waited until it was on the disk.
 */
const RECEIVED = 'received';
const BOOT_ID = '/proc/sys/kernel/random/boot_id';

/** How much larger than its disk the file of an image may be. */
const IMAGE_OVERHEAD = 1.1;
const IMAGE_EXTRA_BYTES = 64 << 20;
const MIB = 1 << 20;

export interface Target {
  readonly store: VolumeStore;
  /** Of the volume. */
  readonly name: string;
  readonly sizeBytes: number;
  readonly isPreallocated: boolean;
  /** Whether the volume takes the size of its data, and `sizeBytes` is only what it has before. */
  readonly isFitted?: boolean;
}

interface ReceiveOptions {
  readonly isDurable?: boolean;
  /** How much data is to come, where its sender says so. */
  readonly announcedBytes?: number | undefined;
}

/**
 * Takes data in, as far as its sender is needed: afterwards `finish` makes it the disk of the volume. A sender who is
 * gone by then, for whom it must be durable, cannot send it again after a power cut.
 */
export async function receive(
  target: Target,
  data: Bytes,
  signal: AbortSignal,
  { isDurable = false, announcedBytes = 0 }: ReceiveOptions = {},
): Promise<void> {
  const { store } = target;
  const directory = await beginFilling(target);
  try {
    const unpacked = await unpack(data, signal);
    const isImage = unpacked.format === 'qcow2';
    // A raw disk may be mostly holes, which take no space.
    if (isImage || unpacked.isCompressed || target.isPreallocated) await store.expectSpace(announcedBytes);
    // What can never become the disk need not come as a whole.
    if (isImage) expectFit(target, qcow2Header(unpacked.head).virtualBytes);
    const most = await mostBytes(target);
    const limit = isImage ? most * IMAGE_OVERHEAD + IMAGE_EXTRA_BYTES : most;
    const paths = { raw: join(directory, RAW), image: join(directory, IMAGE) };
    const size = (dataBytes: number): number => diskBytes(target, dataBytes);
    const file: ReceivedFile = isImage
      ? await receivedImage(unpacked.head, paths, { limit, size, isDurable })
      : await receivedRaw(paths.raw, size);
    try {
      let length = 0;
      for await (const chunk of unpacked.data) {
        signal.throwIfAborted();
        length += chunk.length;
        if (length > limit) throw target.isFitted ? new NoSpace(length, most, directory) : tooLarge(target);
        await file.write(chunk);
      }
      if (length === 0) throw new BadImage('the data is empty');
      const format = await file.finish();
      // An image is only needed until it is converted.
      await mark(directory, format, isDurable || format === 'raw');
    } catch (error) {
      await file.abandon();
      throw error;
    }
  } catch (error) {
    const cause = await store.explained(error);
    await rm(directory, { recursive: true, force: true });
    throw cause;
  }
}

/** Makes an empty directory for what is not a disk yet. Refuses a disk whose space is to be set aside and is not there. */
async function beginFilling({ store, name, sizeBytes, isPreallocated }: Target): Promise<string> {
  await store.expectUsable();
  const directory = join(store.directory(name), FILLING);
  await rm(directory, { recursive: true, force: true });
  if (isPreallocated) await store.expectSpace(sizeBytes);
  await mkdir(directory, { mode: 0o700 });
  return directory;
}

/** Takes in a disk that `make` writes to the path that it is given; it says which format that has. */
export async function receiveFile(
  target: Target,
  make: (path: string, limitBytes: number) => Promise<'raw' | 'qcow2'>,
): Promise<void> {
  const { store } = target;
  const directory = await beginFilling(target);
  try {
    const made = join(directory, MADE);
    const format = await make(made, (await mostBytes(target)) * IMAGE_OVERHEAD + IMAGE_EXTRA_BYTES);
    if (format === 'raw') await lengthen(made, target);
    await rename(made, join(directory, format === 'raw' ? RAW : IMAGE));
    await mark(directory, format, true);
  } catch (error) {
    const cause = await store.explained(error);
    await rm(directory, { recursive: true, force: true });
    throw cause;
  }
}

export const tooLarge = ({ sizeBytes }: Target): BadImage =>
  new BadImage(
    `the image does not fit: its disk is larger than the ${formatBytes(sizeBytes)} of the claim; request more storage`,
  );

/** Throws BadImage for a disk that is larger than the claim. */
export function expectFit({ sizeBytes, isFitted }: Target, virtualBytes: number): void {
  if (virtualBytes <= sizeBytes || isFitted) return;
  throw new BadImage(
    `the image does not fit: its disk is ${formatBytes(virtualBytes)}, but the claim is only ${formatBytes(sizeBytes)}; request more storage`,
  );
}

/** Whether all data was received before, perhaps by an earlier run. */
export async function isReceived({ store, name }: Pick<Target, 'store' | 'name'>): Promise<boolean> {
  const boot = (await readMark(join(store.directory(name), FILLING)))?.boot;
  return boot !== undefined && (boot === '' || boot === (await bootId()));
}

const bootId = async (): Promise<string> => (await readFile(BOOT_ID, 'utf8')).trim();

async function mark(directory: string, format: string, isDurable: boolean): Promise<void> {
  await writeFile(join(directory, RECEIVED), `${format} ${isDurable ? '' : await bootId()}`, { flush: isDurable });
}

/** Undefined: nothing was received, or its mark was cut short. */
async function readMark(directory: string): Promise<{ format: string; boot: string } | undefined> {
  const text = await readFile(join(directory, RECEIVED), 'utf8').catch(() => '');
  const [, format, boot] = /^(\S+) (\S*)$/.exec(text) ?? [];
  return format === undefined || boot === undefined ? undefined : { format, boot };
}

/** Makes the disk of the volume out of what was received. */
export async function finish(target: Target, onProgress: (share: number) => void, signal: AbortSignal): Promise<void> {
  const { store, name } = target;
  await store.expectUsable();
  const directory = join(store.directory(name), FILLING);
  const raw = join(directory, RAW);
  try {
    if ((await readMark(directory))?.format === 'qcow2') {
      const image = join(directory, IMAGE);
      const { virtualBytes, neededBytes } = await inspect(image);
      expectFit(target, virtualBytes);
      await store.expectSpace(neededBytes);
      await convert(image, raw, onProgress, { hasDirectIo: await store.hasDirectIo(), signal });
      await lengthen(raw, target);
    }
    if (target.isPreallocated) await preallocate(raw, (await stat(raw)).size);
    await rename(raw, store.disk(name));
    await syncDirectory(store.directory(name));
  } catch (error) {
    throw await store.explained(error);
  } finally {
    if (!signal.aborted) await rm(directory, { recursive: true, force: true });
  }
}

/** Makes the disk of the volume with `make`, which writes it to the path that it is given. */
export async function place(target: Target, make: (path: string) => Promise<void>): Promise<void> {
  const { store, name } = target;
  const directory = await beginFilling(target);
  try {
    const raw = join(directory, RAW);
    await make(raw);
    await lengthen(raw, target);
    if (target.isPreallocated) await preallocate(raw, (await stat(raw)).size);
    await rename(raw, store.disk(name));
    await syncDirectory(store.directory(name));
  } catch (error) {
    throw await store.explained(error);
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}

/** How large the disk for so much data is to be. Disks are made of whole MiB. */
const diskBytes = ({ isFitted, sizeBytes }: Target, dataBytes: number): number =>
  isFitted ? Math.max(sizeBytes, Math.ceil(dataBytes / MIB) * MIB) : sizeBytes;

/** How much data a volume may take. */
const mostBytes = async ({ isFitted, sizeBytes, store }: Target): Promise<number> =>
  isFitted ? store.freeBytes() : sizeBytes;

/** Makes a raw file as large as the disk is to be. One that is larger is refused: data would be lost. */
async function lengthen(path: string, target: Target): Promise<void> {
  const file = await open(path, 'r+');
  try {
    const { size } = await file.stat();
    expectFit(target, size);
    await file.truncate(diskBytes(target, size));
    await file.sync();
  } finally {
    await file.close();
  }
}

async function syncDirectory(path: string): Promise<void> {
  const directory = await open(path, 'r');
  try {
    await directory.sync();
  } finally {
    await directory.close();
  }
}

/** Sets space aside for a whole file; what is in it stays. */
const preallocate = (path: string, sizeBytes: number): Promise<void> =>
  runChild(['fallocate', '--length', String(sizeBytes), path]);
