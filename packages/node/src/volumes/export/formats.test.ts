import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { promisify } from 'node:util';
import { gunzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { gzipStream } from './gzip.ts';
import { measure, PIECE_BYTES, piecesOf } from './pieces.ts';
import { rangeOf } from './range.ts';
import { tarStream } from './tar.ts';

const run = promisify(execFile);
let directory: string;
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'vireo-export-'));
});
afterAll(() => rm(directory, { recursive: true }));

const still = (): void => {};

describe('a part of a file', () => {
  it.each([
    [undefined, 'whole'],
    ['bytes=0-', { start: 0, end: 100 }],
    ['bytes=10-19', { start: 10, end: 20 }],
    ['bytes=90-200', { start: 90, end: 100 }],
    ['bytes=-30', { start: 70, end: 100 }],
    ['bytes=-300', { start: 0, end: 100 }],
    ['bytes=100-', 'none'],
    ['bytes=100-120', 'none'],
    ['bytes=-0', 'none'],
    ['bytes=20-10', 'whole'],
    ['bytes=-', 'whole'],
    ['bytes=0-1,5-6', 'whole'],
    ['lines=1-2', 'whole'],
    ['bytes=a-b', 'whole'],
  ] as const)('%s', (header, expected) => {
    expect(rangeOf(header, 100)).toEqual(expected);
  });
});

describe('the pieces of a file', () => {
  it('are all of it, or the part that is wanted', async () => {
    const path = join(directory, 'pieces');
    const data = Buffer.alloc(2 * PIECE_BYTES + 77, 'abc');
    await writeFile(path, data);
    expect((await buffer(piecesOf(path, { start: 0, end: data.length }, still))).equals(data)).toBe(true);
    const part = { start: PIECE_BYTES - 5, end: PIECE_BYTES + 5 };
    expect(await buffer(piecesOf(path, part, still))).toEqual(data.subarray(part.start, part.end));
  });

  it('end where somebody begins to write', async () => {
    const path = join(directory, 'changing');
    await writeFile(path, Buffer.alloc(3 * PIECE_BYTES));
    let reads = 0;
    const pieces = piecesOf(path, { start: 0, end: 3 * PIECE_BYTES }, () => {
      if (++reads === 2) throw new Error('in use');
    });
    await expect(buffer(pieces)).rejects.toThrow('in use');
    expect(reads).toBe(2);
  });

  it('end in an error where the file is shorter than it was', async () => {
    const path = join(directory, 'short');
    await writeFile(path, 'abc');
    await expect(buffer(piecesOf(path, { start: 0, end: 10 }, still))).rejects.toThrow('ends after 3 of 10 bytes');
  });

  it('have a mark that changes with the file', async () => {
    const path = join(directory, 'marked');
    await writeFile(path, 'abc');
    const before = await measure(path);
    expect(before).toEqual({ sizeBytes: 3, mark: expect.stringMatching(/^[0-9a-f-]+$/) });
    expect(await measure(path)).toEqual(before);
    await writeFile(path, 'abcd');
    expect((await measure(path)).mark).not.toBe(before.mark);
  });
});

describe('gzip', () => {
  const disk = Buffer.alloc(6 * PIECE_BYTES + 123);
  disk.write('beginning');
  disk.write('middle', 3 * PIECE_BYTES + 7);
  disk.write('end', disk.length - 3);
  async function* pieces(data: Buffer): AsyncGenerator<Buffer> {
    for (let at = 0; at < data.length; at += PIECE_BYTES) yield data.subarray(at, at + PIECE_BYTES);
  }

  it.each([
    ['a disk with holes', disk],
    ['a disk of noise', randomBytes(2 * PIECE_BYTES + 5)],
    ['one byte', Buffer.from('x')],
    ['nothing', Buffer.alloc(0)],
  ])('%s comes back as it was, also out of gunzip', async (_, data) => {
    const packed = await buffer(gzipStream(pieces(data)));
    expect(gunzipSync(packed).equals(data)).toBe(true);
    const path = join(directory, 'packed.gz');
    await writeFile(path, packed);
    const { stdout } = await run('gzip', ['-dc', path], { encoding: 'buffer', maxBuffer: 1 << 24 });
    expect(stdout.equals(data)).toBe(true);
  });

  it('what cannot be made smaller grows by next to nothing', async () => {
    const noise = randomBytes(2 * PIECE_BYTES);
    expect((await buffer(gzipStream(pieces(noise)))).length).toBeLessThan(noise.length * 1.001);
  });

  it('a failure of what is packed is one of the packing', async () => {
    async function* broken(): AsyncGenerator<Buffer> {
      yield Buffer.alloc(10, 'a');
      throw new Error('in use');
    }
    await expect(buffer(gzipStream(broken()))).rejects.toThrow('in use');
  });
});

describe('tar', () => {
  it('is what tar unpacks, long names too', async () => {
    const long = `${'n'.repeat(150)}.memory.dump`;
    const files = [
      ['dump', Buffer.alloc(700, 'd')],
      ['empty', Buffer.alloc(0)],
      [long, Buffer.alloc(512, 'l')],
      ['naïve.txt', Buffer.from('ü')],
    ] as const;
    async function* whole(data: Buffer): AsyncGenerator<Buffer> {
      yield data;
    }
    const archive = join(directory, 'files.tar');
    const members = files.map(([name, data]) => ({
      name,
      sizeBytes: data.length,
      modifiedAtMs: 1_700_000_000_000,
      data: whole(data),
    }));
    await writeFile(archive, await buffer(tarStream(members)));
    const into = await mkdtemp(join(directory, 'unpacked-'));
    await run('tar', ['-xf', archive, '-C', into]);
    for (const [name, data] of files) expect((await readFile(join(into, name))).equals(data)).toBe(true);
  });

  it('says sizes that its header has no room for', async () => {
    async function* nothing(): AsyncGenerator<Buffer> {}
    const large = { name: 'large', sizeBytes: 8 ** 11, modifiedAtMs: 0, data: nothing() };
    const bytes = await buffer(tarStream([large]));
    expect(bytes.subarray(512, 512 + 19).toString()).toBe('19 size=8589934592\n');
  });
});
