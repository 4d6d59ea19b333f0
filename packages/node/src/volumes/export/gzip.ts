import { availableParallelism } from 'node:os';
import { promisify } from 'node:util';
import { constants, deflateRawSync, gzip } from 'node:zlib';
import { PIECE_BYTES } from './pieces.ts';

const compress = promisify(gzip);
const FAST = { level: constants.Z_BEST_SPEED };
const STORED = { level: constants.Z_NO_COMPRESSION };
const ZEROS = Buffer.alloc(PIECE_BYTES);
/** Compressing shares its threads with reading and writing files. */
const CONCURRENCY = Math.min(3, availableParallelism());

/** Made once it is wanted. */
let emptyMember: Promise<Buffer> | undefined;

/**
 * Data as one gzip file. Each piece becomes a member of its own, so that several can be compressed at once and a piece
 * of nothing but zeros, of which sparse disks are full, only the first time. Members in a row are a file by RFC 1952.
 */
export async function* gzipStream(pieces: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  const waiting: Promise<Buffer>[] = [];
  let isNothing = true;
  try {
    for await (const piece of pieces) {
      isNothing = false;
      const member = memberOf(piece);
      // Whoever takes it hears of a failure.
      member.catch(() => {});
      waiting.push(member);
      const first = waiting.length >= CONCURRENCY ? waiting.shift() : undefined;
      if (first) yield await first;
    }
    if (isNothing) yield await compress(Buffer.alloc(0), FAST);
    for (const member of waiting) yield await member;
  } finally {
    await Promise.allSettled(waiting);
  }
}

function memberOf(piece: Buffer): Promise<Buffer> {
  if (!isEmpty(piece)) return compress(piece, isDense(piece) ? STORED : FAST);
  emptyMember ??= compress(ZEROS, FAST);
  return emptyMember;
}

const isEmpty = (piece: Buffer): boolean => piece.length === PIECE_BYTES && piece.equals(ZEROS);

const SAMPLES = 4;
const SAMPLE_BYTES = 2048;

/** Whether compressing is in vain, as with what is encrypted or compressed already. A look at parts of it tells. */
function isDense(piece: Buffer): boolean {
  const step = Math.floor(piece.length / SAMPLES);
  const samples = Array.from({ length: SAMPLES }, (_, i) => piece.subarray(i * step, i * step + SAMPLE_BYTES));
  const sample = Buffer.concat(samples);
  return deflateRawSync(sample, FAST).length > 0.95 * sample.length;
}
