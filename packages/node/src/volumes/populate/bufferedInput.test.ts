import { randomBytes } from 'node:crypto';
import { PassThrough, Readable } from 'node:stream';
import { setImmediate } from 'node:timers/promises';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { BufferedInput, batches, bufferedInputOf } from './bufferedInput.ts';

const KIB = 1 << 10;
const MIB = 1 << 20;

async function all(chunks: AsyncIterable<Buffer>): Promise<Buffer> {
  const copies: Buffer[] = [];
  for await (const chunk of chunks) copies.push(Buffer.from(chunk));
  return Buffer.concat(copies);
}

const cut = (bytes: Buffer, sizes: readonly number[]): Buffer[] => {
  const pieces: Buffer[] = [];
  for (let at = 0, index = 0; at < bytes.length; index++) {
    const size = sizes[index % sizes.length] ?? 1;
    pieces.push(bytes.subarray(at, at + size));
    at += size;
  }
  return pieces;
};

describe('data comes out as it came in', () => {
  const data = randomBytes(9 * MIB + 4321);
  const sizes = fc.array(fc.integer({ min: 1 * KIB, max: 3 * MIB }), { minLength: 1, maxLength: 5 });

  it.each([
    ['from a stream', (pieces: Buffer[]) => bufferedInputOf(Readable.from(pieces, { objectMode: false }))],
    ['from an iterator', (pieces: Buffer[]) => batches(Readable.from(pieces))],
  ])('%s, whatever the pieces', async (_, of) => {
    await fc.assert(
      fc.asyncProperty(sizes, async (lengths) => {
        expect((await all(of(cut(data, lengths)))).equals(data)).toBe(true);
      }),
      { numRuns: 15 },
    );
  });

  it('from one who puts it where there is room', async () => {
    const input = new BufferedInput({ resume: () => {}, stop: () => {} });
    const taken = all(input);
    for (let at = 0; at < data.length; await setImmediate()) {
      const count = data.copy(input.room, 0, at, at + 300 * KIB);
      at += count;
      input.filled(count);
    }
    input.end();
    expect((await taken).equals(data)).toBe(true);
  });

  it('in chunks that end where blocks of the file do', async () => {
    const input = bufferedInputOf(Readable.from(cut(data, [65_437, 16 * KIB]), { objectMode: false }));
    let position = 0;
    for await (const chunk of input) {
      position += chunk.length;
      if (position > 64 * KIB && position < data.length) expect(position % (64 * KIB)).toBe(0);
    }
    expect(position).toBe(data.length);
  });
});

it('whoever pushes is held up until somebody takes', async () => {
  let resumed = 0;
  const input = new BufferedInput({ resume: () => resumed++, stop: () => {} });
  let pushed = 0;
  for (; input.hasRoom; pushed++) input.push(Buffer.alloc(MIB, 1));
  expect(pushed).toBeLessThanOrEqual(4);
  await input.next();
  expect(resumed).toBe(0);
  await input.next();
  expect([resumed, input.hasRoom]).toEqual([1, true]);
});

it('what came before the end of a broken connection is handed over first', async () => {
  const stream = new PassThrough();
  const input = bufferedInputOf(stream);
  stream.write(Buffer.alloc(100 * KIB, 1));
  await setImmediate();
  stream.destroy(new Error('the line went dead'));
  let length = 0;
  const reading = (async () => {
    for await (const chunk of input) length += chunk.length;
  })();
  await expect(reading).rejects.toThrow('the line went dead');
  expect(length).toBe(100 * KIB);
});

it('a stream that nobody wants more of stays open', async () => {
  const stream = new PassThrough();
  stream.write(Buffer.alloc(KIB, 1));
  for await (const _ of bufferedInputOf(stream)) break;
  expect(stream.destroyed).toBe(false);
  expect(stream.listenerCount('data')).toBe(0);
});
