import { appendFileSync, copyFileSync, fstatSync, renameSync, statSync, truncateSync } from 'node:fs';
import { join } from 'node:path';

/** What a server has said, in its home. The one before it has `.1` at its end. */
export const logFile = (home: string): string => join(home, 'vireo.log');

const LARGEST_BYTES = 5 << 20;

/**
 * Keeps what this process says on standard error in a file of the home as well: whoever looks for the cause of something
 * comes later, and the terminal is gone. Where standard error is that file, as in the background, nothing is written
 * twice. `largestBytes`: when the file makes room for a new one.
 */
export function keepLog(
  home: string,
  stream: NodeJS.WriteStream & { fd?: number } = process.stderr,
  largestBytes = LARGEST_BYTES,
): void {
  const file = logFile(home);
  let written = sizeOf(file);
  // There from the beginning: whoever watches the home sees no file come that nobody asked for.
  attempt(() => appendFileSync(file, '', { mode: 0o600 }));
  const isKept = isSameFile(stream.fd, file);
  const write = isKept ? acknowledge : stream.write.bind(stream);
  const keep = (chunk: string | Uint8Array): void => {
    const bytes = Buffer.byteLength(chunk);
    if (written > 0 && written + bytes > largestBytes) {
      // Standard error stays on the file that it was opened on, which is therefore emptied, not renamed.
      if (isKept) {
        copyFileSync(file, `${file}.1`);
        truncateSync(file);
      } else {
        renameSync(file, `${file}.1`);
      }
      written = 0;
    }
    appendFileSync(file, chunk, { mode: 0o600 });
    written += bytes;
  };
  stream.write = ((chunk: string | Uint8Array, ...rest: []) => {
    attempt(() => keep(chunk));
    return write(chunk, ...rest);
  }) as typeof stream.write;
}

/** As a stream does that has written. */
function acknowledge(...args: unknown[]): boolean {
  const done = args.at(-1);
  if (typeof done === 'function') process.nextTick(done as () => void);
  return true;
}

function isSameFile(fd: number | undefined, file: string): boolean {
  const found = statSync(file, { throwIfNoEntry: false });
  if (fd === undefined || !found) return false;
  const { dev, ino } = fstatSync(fd);
  return dev === found.dev && ino === found.ino;
}

function sizeOf(file: string): number {
  return statSync(file, { throwIfNoEntry: false })?.size ?? 0;
}

/** A full disk must not keep the server from telling that it is full. */
function attempt(write: () => void): void {
  try {
    write();
  } catch {
    // What cannot be kept is said all the same.
  }
}
