import { once } from 'node:events';
import { PassThrough } from 'node:stream';
import { setImmediate } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { MAX_BODY_BYTES, readBody } from './readBody.ts';

it('reads what comes, in one piece', async () => {
  const input = new PassThrough();
  const body = readBody(input, undefined);
  input.write('{"a":');
  input.end('1}');
  expect((await body).toString()).toBe('{"a":1}');
});

it('an empty body that has ended already is one', async () => {
  const input = new PassThrough();
  input.resume().end();
  await once(input, 'end');
  expect(await readBody(input, undefined)).toHaveLength(0);
});

it('one that is too long is refused as soon as that is known', async () => {
  await expect(readBody(new PassThrough(), String(MAX_BODY_BYTES + 1))).rejects.toMatchObject({ code: 413 });
  const input = new PassThrough();
  const body = readBody(input, undefined);
  input.write(Buffer.alloc(MAX_BODY_BYTES + 1));
  await expect(body).rejects.toMatchObject({ code: 413 });
});

it.each([
  ['is said to be', String(MAX_BODY_BYTES + 1)],
  ['turns out to be', undefined],
])('whoever goes on sending a body that %s too long is cut off in the end', async (_, declared) => {
  const input = new PassThrough();
  const body = readBody(input, declared);
  const isRefused = expect(body).rejects.toMatchObject({ code: 413 });
  const chunk = Buffer.alloc(4 * 1024 * 1024);
  for (let sent = 0; sent < 20 && !input.destroyed; sent++) {
    input.write(chunk);
    await setImmediate();
  }
  await isRefused;
  expect(input.destroyed).toBe(true);
});

it('one that is cut off is no body', async () => {
  const input = new PassThrough();
  const body = readBody(input, undefined);
  input.destroy();
  await expect(body).rejects.toMatchObject({ code: 400 });
  await expect(readBody(input, undefined)).rejects.toMatchObject({ code: 400 });
});
