import type { Locator } from 'playwright-core';

/** How many colours a canvas shows: one if it is blank. */
export const differentColours = (canvas: Locator): Promise<number> =>
  canvas.evaluate((element) => {
    // The page's own types are not known here.
    const drawn = element as unknown as {
      readonly width: number;
      readonly height: number;
      getContext(kind: '2d'): { getImageData(x: number, y: number, w: number, h: number): { data: Uint8ClampedArray } };
    };
    if (drawn.width === 0 || drawn.height === 0) return 0;
    const { data } = drawn.getContext('2d').getImageData(0, 0, drawn.width, drawn.height);
    return new Set(new Uint32Array(data.buffer)).size;
  });
