import { expect, it } from 'vitest';
import { jsonLines } from './lines.ts';

it('values are found wherever the stream is cut', () => {
  const values: unknown[] = [];
  const read = jsonLines((value) => values.push(value));
  for (const text of ['{"a":', '1}\n{"b":2}\n', '\n{"c"', ':3}', '\n{"d":']) read(text);
  expect(values).toEqual([{ a: 1 }, { b: 2 }, { c: 3 }]);
});
