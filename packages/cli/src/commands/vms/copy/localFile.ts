import { rmSync } from 'node:fs';
import { access, constants, type FileHandle, lstat, open, realpath, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { errorCode, Failure, fileProblem } from '../../../failure.ts';

interface Limits {
  readonly chunkBytes: number;
  readonly largestBytes: number;
}

/** The content of a file, a device or a pipe of this host, in parts. An empty one has one part, which is empty. */
export async function* readParts(path: string, { chunkBytes, largestBytes }: Limits): AsyncGenerator<Buffer> {
  const attempt = attemptOn(path, 'read');
  const file = await attempt(() => open(path));
  try {
    const { size } = await attempt(() => file.stat());
    let total = 0;
    for (let isFirst = true; ; isFirst = false) {
      const part = await attempt(() => readPart(file, chunkBytes));
      total += part.length;
      if (Math.max(total, size) > largestBytes)
        throw new Failure(
          `${path} is larger than ${largestBytes >> 20} MiB, the limit of the guest agent`,
          'Set up ssh in the guest, or attach the file as a disk.',
        );
      if (part.length > 0 || isFirst) yield part;
      if (part.length < chunkBytes) return;
    }
  } finally {
    await file.close();
  }
}

/** Pipes give less at a time than they are asked for. */
async function readPart(file: FileHandle, bytes: number): Promise<Buffer> {
  const part = Buffer.alloc(bytes);
  let filled = 0;
  while (filled < bytes) {
    const { bytesRead } = await file.read(part, filled, bytes - filled, null);
    if (bytesRead === 0) break;
    filled += bytesRead;
  }
  return part.subarray(0, filled);
}

/**
 * Writes a file of this host; into a directory it goes as `name`. A regular file is replaced only when all parts have
 * come, and keeps its mode, owner and the links that lead to it. Devices and pipes are written as the parts come.
 */
export async function writeParts(path: string, name: string, parts: AsyncIterable<Buffer>): Promise<void> {
  const isDirectory = await stat(path).then(
    (found) => found.isDirectory(),
    () => false,
  );
  const to = isDirectory ? join(path, name) : path;
  const attempt = attemptOn(to, 'written');
  const found = await attempt(() => stat(to).catch(ignoreMissing));
  const isDanglingLink = !found && (await lstat(to).catch(() => undefined)) !== undefined;
  if (isDanglingLink || (found && !found.isFile())) {
    const file = await attempt(() => open(to, 'w'));
    try {
      for await (const part of parts) await attempt(() => writeAll(file, part));
    } finally {
      await file.close();
    }
    return;
  }
  const target = found ? await attempt(() => realpath(to)) : to;
  if (found) await attempt(() => access(target, constants.W_OK));
  const partial = `${target}.${process.pid}.partial`;
  const file = await attempt(() => open(partial, 'wx'));
  await removeUnlessDone(partial, async () => {
    try {
      // Only root may give a file away; for others it is theirs anyway, or becomes so.
      if (found) await file.chown(found.uid, found.gid).catch(() => {});
      if (found) await attempt(() => file.chmod(found.mode & 0o7777));
      for await (const part of parts) await attempt(() => writeAll(file, part));
    } finally {
      await file.close();
    }
    await attempt(() => rename(partial, target));
  });
}

/** `write` of a file handle may write less than it is given. */
async function writeAll(file: FileHandle, part: Buffer): Promise<void> {
  for (let rest = part; rest.length > 0; ) {
    const { bytesWritten } = await file.write(rest, 0, rest.length, null);
    rest = rest.subarray(bytesWritten);
  }
}

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/** Removes a file if `run` fails, or if a signal ends this process meanwhile. */
async function removeUnlessDone(path: string, run: () => Promise<void>): Promise<void> {
  const leave = (signal: NodeJS.Signals): void => {
    rmSync(path, { force: true });
    for (const each of SIGNALS) process.off(each, leave);
    process.kill(process.pid, signal);
  };
  for (const signal of SIGNALS) process.on(signal, leave);
  try {
    await run();
  } catch (error) {
    await rm(path, { force: true });
    throw error;
  } finally {
    for (const signal of SIGNALS) process.off(signal, leave);
  }
}

function ignoreMissing(error: unknown): undefined {
  if (errorCode(error) !== 'ENOENT') throw error;
}

/** What the system refuses is the user's to solve. */
const attemptOn =
  (path: string, verb: 'read' | 'written') =>
  async <T>(run: () => Promise<T>): Promise<T> => {
    try {
      return await run();
    } catch (error) {
      throw new Failure(`${path} cannot be ${verb}: ${fileProblem(error)}`, undefined, { cause: error });
    }
  };
