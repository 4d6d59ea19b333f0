import { deflateSync, inflateSync } from 'node:zlib';
import { expect, it } from 'vitest';
import { chunk, palettePng, SIGNATURE } from './palettePng.ts';

/** A PNG of these rows of RGB bytes, each after the number of its filter. */
function png(width: number, rows: readonly (readonly number[])[]): Buffer {
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(rows.length, 4);
  header.set([8, 2], 8);
  const data = deflateSync(Buffer.from(rows.flat()));
  return Buffer.concat([SIGNATURE, chunk('IHDR', header), chunk('IDAT', data), chunk('IEND', Buffer.alloc(0))]);
}

/** What stands in a chunk of a PNG. */
function body(file: Buffer, type: string): Buffer {
  const at = file.indexOf(type);
  return file.subarray(at + 4, at + 4 + file.readUInt32BE(at - 4));
}

/** The colours of the pixels of a PNG with a palette, row by row. */
function colours(file: Buffer, width: number): string[] {
  const palette = body(file, 'PLTE');
  return [...inflateSync(body(file, 'IDAT'))]
    .filter((_, at) => at % (width + 1) !== 0)
    .map((index) => palette.toString('hex', 3 * index, 3 * index + 3));
}

it('keeps all colours of a picture with few, whichever way its rows are filtered', () => {
  // The second row differs from its left neighbour by nothing, the others by nothing from the row above.
  const rows = [
    [0, 255, 0, 0, 0, 255, 0],
    [1, 9, 9, 9, 0, 0, 0],
    [2, 0, 0, 0, 0, 0, 0],
    [4, 0, 0, 0, 0, 0, 0],
  ];
  const grey = '090909';
  expect(colours(palettePng(png(2, rows)), 2)).toEqual(['ff0000', '00ff00', grey, grey, grey, grey, grey, grey]);
});

it('keeps a rare colour that is far from all others', () => {
  const shades = Array.from({ length: 400 }, (_, at) => [at % 20, at % 19, at % 21]).flat();
  const kept = colours(palettePng(png(401, [[0, ...shades, 255, 0, 0]])), 401);
  expect(kept.at(-1)).toBe('ff0000');
  expect(new Set(kept).size).toBeLessThanOrEqual(256);
});

it('refuses what is no PNG', () => {
  expect(() => palettePng(Buffer.from('GIF89a'))).toThrow('this is no PNG');
});
