import tls from 'node:tls';
import type { Ground } from '../ground.ts';

/* HTTP/2 by hand, for what no client library would send. */

const PREFACE = Buffer.from('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n');
const TYPE = { data: 0, headers: 1, settings: 4, ping: 6, continuation: 9 } as const;
const STREAM = 1;

function frame(type: keyof typeof TYPE, flags: number, stream: number, payload: Buffer = Buffer.alloc(0)): Buffer {
  const head = Buffer.alloc(9);
  head.writeUIntBE(payload.length, 0, 3);
  head.writeUInt8(TYPE[type], 3);
  head.writeUInt8(flags, 4);
  head.writeUInt32BE(stream, 5);
  return Buffer.concat([head, payload]);
}

/** A header that is not in HPACK's table, in plain letters. */
const literal = (name: string, value: string): Buffer =>
  Buffer.concat([Buffer.from([0, name.length]), Buffer.from(name), Buffer.from([value.length]), Buffer.from(value)]);

const settings = frame('settings', 0, 0);
/** `:method GET`, `:scheme https` and `:path /` by their numbers in HPACK's table; the headers go on elsewhere. */
const begun = frame('headers', 0, STREAM, Buffer.from([0x82, 0x87, 0x84]));

/** Floods by what they are made of: `each` is sent again and again after `first`. */
export const FLOODS: Readonly<Record<string, { readonly first: Buffer; readonly each: Buffer }>> = {
  SETTINGS: { first: settings, each: settings },
  PING: { first: settings, each: frame('ping', 0, 0, Buffer.alloc(8)) },
  CONTINUATION: {
    first: Buffer.concat([settings, begun]),
    each: frame(
      'continuation',
      0,
      STREAM,
      Buffer.concat(Array.from({ length: 100 }, (_, i) => literal(`x-${i}`, 'y'))),
    ),
  },
  'empty DATA': {
    first: Buffer.concat([settings, frame('headers', 4, STREAM, Buffer.from([0x83, 0x87, 0x84]))]),
    each: frame('data', 0, STREAM),
  },
};

/** Sends a flood and never reads; resolves when the server cuts it off, or all is sent. */
export function flood(
  { port, ca }: Ground,
  { first, each }: { first: Buffer; each: Buffer },
  bytes: number,
): Promise<'cut off' | 'taken'> {
  const many = Buffer.concat(Array.from({ length: Math.ceil((64 << 10) / each.length) }, () => each));
  return new Promise((resolve) => {
    const socket = tls.connect({ host: '127.0.0.1', port, ca, ALPNProtocols: ['h2'] });
    let left = bytes;
    const finish = (how: 'cut off' | 'taken'): void => {
      resolve(how);
      socket.destroy();
    };
    const pour = (): void => {
      while (left > 0) {
        left -= many.length;
        if (!socket.write(many)) return;
      }
      finish('taken');
    };
    socket.on('secureConnect', () => {
      socket.write(Buffer.concat([PREFACE, first]));
      pour();
    });
    socket.on('drain', pour);
    socket.on('error', () => finish('cut off'));
    socket.on('close', () => finish('cut off'));
  });
}
