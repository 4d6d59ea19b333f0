import { PassThrough, Readable } from 'node:stream';
import { expect, it } from 'vitest';
import { readAtMost, waitSeconds } from './exec.ts';

it.each([
  ['nothing', [], ''],
  ['as much as may be', ['ab', 'cd'], 'abcd'],
  ['more', ['ab', 'cde'], undefined],
])('of an input with %s, %j is read as %j', async (_, parts, text) => {
  const stream = Readable.from(parts.map((part) => Buffer.from(part)));
  expect((await readAtMost(stream, 4))?.toString()).toBe(text);
});

it('an input without an end is read no further than the limit', async () => {
  let chunks = 0;
  const endless = new Readable({
    read() {
      chunks += 1;
      this.push(Buffer.alloc(1_024));
    },
  });
  expect(await readAtMost(endless, 4_096)).toBeUndefined();
  expect(chunks).toBeLessThan(200);
});

it('an input that nobody ends is waited for no longer than the timeout', async () => {
  await expect(readAtMost(new PassThrough(), 4, 0)).rejects.toMatchObject({ exitCode: 124 });
});

it.each([
  [undefined, undefined, 20],
  [undefined, 5_000, 5],
  [undefined, 100, 1],
  [undefined, -1, 0],
  [10_000, undefined, 5],
  [1_000, undefined, 0],
  [600_000, 60_000, 20],
])('with a request timeout of %s ms and %s ms left, a request waits %d s', (requestTimeout, left, seconds) => {
  expect(waitSeconds(requestTimeout, left === undefined ? undefined : 1_000 + left, 1_000)).toBe(seconds);
});
