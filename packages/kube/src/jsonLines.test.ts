import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { jsonLines } from './jsonLines.ts';

async function* cut(bytes: Buffer, size: number): AsyncGenerator<Buffer, void> {
  for (let start = 0; start < bytes.length; start += size) yield bytes.subarray(start, start + size);
}

describe('jsonLines', () => {
  it('reads the same values however the stream is cut', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.jsonValue()), fc.integer({ min: 1, max: 9 }), async (values, size) => {
        const text = values.map((value) => `${JSON.stringify(value)}\n`).join('');
        const read: unknown[] = [];
        for await (const value of jsonLines(cut(Buffer.from(text), size))) read.push(value);
        expect(JSON.stringify(read)).toBe(JSON.stringify(values));
      }),
      { numRuns: 50 },
    );
  });

  it('takes a stream that ends within a line for broken', async () => {
    const lines = jsonLines(cut(Buffer.from('{"a":1}\n{"b":'), 100));
    expect((await lines.next()).value).toEqual({ a: 1 });
    await expect(lines.next()).rejects.toThrow('the stream ended in the middle of a line: {"b":');
  });
});
