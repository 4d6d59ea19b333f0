import type { Duplex } from 'node:stream';
import { pipeline } from 'node:stream/promises';

/** Joins standard input and output to a stream, until either of them ends. */
export async function carryStdio(tunnel: Duplex): Promise<void> {
  await Promise.race([pipeline(process.stdin, tunnel), pipeline(tunnel, process.stdout)]);
  process.stdin.destroy();
}
