import { crc32, deflateSync, inflateSync } from 'node:zlib';

/**
 * A PNG of 8-bit colours, as Chromium writes it, with a palette of 256 of its colours: less than half the size, and a page
 * looks the same. Others, which are shades at the edges of letters, become the nearest one.
 */
export function palettePng(png: Buffer): Buffer {
  const { width, height, pixels } = decode(png);
  const counts = new Map<number, number>();
  for (const colour of pixels) counts.set(colour, (counts.get(colour) ?? 0) + 1);
  const palette = chosenFrom(counts);
  const indices = new Map([...counts.keys()].map((colour) => [colour, nearest(palette, colour)]));
  // A byte before each row says that it is not filtered.
  const rows = Buffer.alloc(height * (width + 1));
  pixels.forEach((colour, at) => {
    rows[Math.floor(at / width) * (width + 1) + 1 + (at % width)] = indices.get(colour) ?? 0;
  });
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header.set([8, INDEXED], 8);
  return Buffer.concat([
    SIGNATURE,
    chunk('IHDR', header),
    chunk('PLTE', Buffer.from(palette.flatMap((colour) => parts(colour)))),
    chunk('IDAT', deflateSync(rows, { level: 9, memLevel: 9 })),
    chunk('IEND', Buffer.alloc(0)),
  ]);
}

export const SIGNATURE = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
const RGB = 2;
const INDEXED = 3;
const RGBA = 6;

interface Picture {
  readonly width: number;
  readonly height: number;
  /** `0xRRGGBB` of each pixel. */
  readonly pixels: Uint32Array;
}

const parts = (colour: number): [number, number, number] => [colour >> 16, (colour >> 8) & 255, colour & 255];

const MOST = 256;
const BY_COUNT = 96;

/** The most frequent colours, and then always the one that would be missed most: a red word is few pixels. */
function chosenFrom(counts: ReadonlyMap<number, number>): number[] {
  const sorted = [...counts].sort(([, a], [, b]) => b - a);
  const palette = sorted.slice(0, BY_COUNT).map(([colour]) => colour);
  const left = sorted
    .slice(BY_COUNT)
    .map(([colour, count]) => ({ colour, count, error: distance(colour, palette[nearest(palette, colour)] ?? 0) }));
  while (palette.length < MOST && left.length > 0) {
    const missed = left.reduce((a, b) => (b.error * b.count > a.error * a.count ? b : a));
    if (missed.error === 0) break;
    palette.push(missed.colour);
    for (const each of left) each.error = Math.min(each.error, distance(each.colour, missed.colour));
  }
  return palette;
}

function distance(a: number, b: number): number {
  const other = parts(b);
  return parts(a).reduce((sum, part, at) => sum + (part - (other[at] ?? 0)) ** 2, 0);
}

function nearest(palette: readonly number[], colour: number): number {
  let best = 0;
  let least = Number.POSITIVE_INFINITY;
  palette.forEach((each, index) => {
    const far = distance(each, colour);
    if (far < least) [best, least] = [index, far];
  });
  return best;
}

function decode(png: Buffer): Picture {
  if (!png.subarray(0, 8).equals(SIGNATURE)) throw new Error('this is no PNG');
  const data: Buffer[] = [];
  let header: Buffer | undefined;
  for (let at = 8; at < png.length; ) {
    const length = png.readUInt32BE(at);
    const type = png.toString('latin1', at + 4, at + 8);
    const body = png.subarray(at + 8, at + 8 + length);
    if (type === 'IHDR') header = body;
    if (type === 'IDAT') data.push(body);
    at += length + 12;
  }
  const [depth, kind, , , interlaced] = header?.subarray(8) ?? [];
  if (!header || depth !== 8 || (kind !== RGB && kind !== RGBA) || interlaced !== 0)
    throw new Error(`only 8-bit PNGs in colour are read, not depth ${depth}, kind ${kind}, interlace ${interlaced}`);
  const width = header.readUInt32BE(0);
  const height = header.readUInt32BE(4);
  const bytes = kind === RGB ? 3 : 4;
  const rows = unfilter(inflateSync(Buffer.concat(data)), width * bytes, height, bytes);
  const pixels = Uint32Array.from({ length: width * height }, (_, at) => rows.readUIntBE(at * bytes, 3));
  return { width, height, pixels };
}

/** Undoes PNG's filters: each byte is told by how it differs from its neighbours. */
function unfilter(filtered: Buffer, stride: number, height: number, bytes: number): Buffer {
  const rows = Buffer.alloc(stride * height);
  for (let y = 0; y < height; y++) {
    const filter = filtered[y * (stride + 1)] ?? 0;
    for (let x = 0; x < stride; x++) {
      const at = y * stride + x;
      const left = x >= bytes ? (rows[at - bytes] ?? 0) : 0;
      const up = y > 0 ? (rows[at - stride] ?? 0) : 0;
      const corner = x >= bytes && y > 0 ? (rows[at - stride - bytes] ?? 0) : 0;
      rows[at] = (filtered[y * (stride + 1) + 1 + x] ?? 0) + predicted(filter, left, up, corner);
    }
  }
  return rows;
}

function predicted(filter: number, left: number, up: number, corner: number): number {
  switch (filter) {
    case 1:
      return left;
    case 2:
      return up;
    case 3:
      return (left + up) >> 1;
    case 4:
      return paeth(left, up, corner);
    default:
      return 0;
  }
}

function paeth(left: number, up: number, corner: number): number {
  const guess = left + up - corner;
  const [toLeft, toUp, toCorner] = [Math.abs(guess - left), Math.abs(guess - up), Math.abs(guess - corner)];
  if (toLeft <= toUp && toLeft <= toCorner) return left;
  return toUp <= toCorner ? up : corner;
}

export function chunk(type: string, body: Buffer): Buffer {
  const named = Buffer.concat([Buffer.from(type, 'latin1'), body]);
  const length = Buffer.alloc(4);
  length.writeUInt32BE(body.length);
  const sum = Buffer.alloc(4);
  sum.writeUInt32BE(crc32(named));
  return Buffer.concat([length, named, sum]);
}
