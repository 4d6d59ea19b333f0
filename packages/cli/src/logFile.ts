import { appendFileSync, chmodSync, renameSync, statSync } from 'node:fs';
import { join } from 'node:path';

/** What a server has said, in its home. The one before it has `.1` at its end. */
export const logFile = (home: string): string => join(home, 'vireo.log');

const LARGEST_BYTES = 5 << 20;

/**
 * Keeps what this process says on standard error in a file of the home as well: whoever looks for the cause of something
 * comes later, and the terminal is gone. `largestBytes`: when the file makes room for a new one.
 */
export function keepLog(home: string, stream: NodeJS.WriteStream = process.stderr, largestBytes = LARGEST_BYTES): void {
  const file = logFile(home);
  let written = sizeOf(file);
  const write = stream.write.bind(stream);
  const keep = (chunk: string | Uint8Array): void => {
    const bytes = Buffer.byteLength(chunk);
    if (written > 0 && written + bytes > largestBytes) {
      renameSync(file, `${file}.1`);
      written = 0;
    }
    appendFileSync(file, chunk, { mode: 0o600 });
    if (written === 0) chmodSync(file, 0o600);
    written += bytes;
  };
  stream.write = ((chunk: string | Uint8Array, ...rest: []) => {
    try {
      keep(chunk);
    } catch {
      // A full disk must not keep the server from telling that it is full.
    }
    return write(chunk, ...rest);
  }) as typeof stream.write;
}

function sizeOf(file: string): number {
  return statSync(file, { throwIfNoEntry: false })?.size ?? 0;
}
