import { Duplex, PassThrough } from 'node:stream';
import { expect, it } from 'vitest';
import { drain } from './draining.ts';

/** As a stream of HTTP/2: what comes in, and what the response goes out by, which is open until it is given. */
const exchange = (incoming: PassThrough): Duplex => Duplex.from({ readable: incoming, writable: new PassThrough() });

it('waits for the end of what is sent, not for that of the response', async () => {
  const incoming = new PassThrough();
  const stream = exchange(incoming);
  let isDrained = false;
  const waiting = drain(stream).then(() => {
    isDrained = true;
  });
  incoming.write(Buffer.alloc(1 << 20));
  await new Promise(setImmediate);
  expect(isDrained).toBe(false);
  incoming.end();
  await waiting;
  expect(stream.writableFinished).toBe(false);
}, 9000);
