/** The parts of HTTP/2 (RFC 9113) that a load generator needs. */
export const FRAME = {
  data: 0,
  headers: 1,
  resetStream: 3,
  settings: 4,
  ping: 6,
  goAway: 7,
  windowUpdate: 8,
} as const;

export const FLAG = { endStream: 1, ack: 1, endHeaders: 4 } as const;

export const PREFACE = Buffer.from('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n');
export const MAX_WINDOW = 2 ** 31 - 1;

export function frame(type: number, flags: number, stream: number, payload: Buffer = Buffer.alloc(0)): Buffer {
  const bytes = Buffer.allocUnsafe(9 + payload.length);
  bytes.writeUIntBE(payload.length, 0, 3);
  bytes[3] = type;
  bytes[4] = flags;
  bytes.writeUInt32BE(stream, 5);
  payload.copy(bytes, 9);
  return bytes;
}

/** HEADER_TABLE_SIZE 0, so that the peer keeps no table; INITIAL_WINDOW_SIZE the largest. */
export function settings(): Buffer {
  const payload = Buffer.alloc(12);
  payload.writeUInt16BE(1, 0);
  payload.writeUInt32BE(0, 2);
  payload.writeUInt16BE(4, 6);
  payload.writeUInt32BE(MAX_WINDOW, 8);
  return frame(FRAME.settings, 0, 0, payload);
}

export function windowUpdate(increment: number): Buffer {
  const payload = Buffer.alloc(4);
  payload.writeUInt32BE(increment);
  return frame(FRAME.windowUpdate, 0, 0, payload);
}

/** Of the table that every HPACK decoder has. */
const METHODS = { GET: 0x82, POST: 0x83 } as const;
const SCHEME_HTTPS = 0x87;

/** A header block (RFC 7541) of literals only: no table, no compression, so it can be made once and sent often. */
export function headerBlock(
  method: 'GET' | 'POST' | 'PATCH',
  path: string,
  headers: Readonly<Record<string, string>>,
): Buffer {
  const fields = Object.entries({ ':path': path, ':authority': '127.0.0.1', ...headers });
  return Buffer.concat([
    method === 'PATCH' ? field(':method', method) : Buffer.from([METHODS[method]]),
    Buffer.from([SCHEME_HTTPS]),
    ...fields.map(([name, value]) => field(name, value)),
  ]);
}

const field = (name: string, value: string): Buffer => Buffer.concat([Buffer.from([0]), literal(name), literal(value)]);

function literal(text: string): Buffer {
  const bytes = Buffer.from(text);
  return Buffer.concat([integer(bytes.length), bytes]);
}

/** With a prefix of seven bits. */
function integer(value: number): Buffer {
  if (value < 127) return Buffer.from([value]);
  const bytes = [127];
  let rest = value - 127;
  for (; rest >= 128; rest >>= 7) bytes.push((rest & 127) | 128);
  return Buffer.from([...bytes, rest]);
}

/** Entries of the static table, from index 8 on. */
const STATUSES = [200, 204, 206, 304, 400, 404, 500];

/** The status of an answer, which is its first field; 0 when it cannot be told. */
export function statusOf(block: Buffer): number {
  let at = 0;
  // Changes of the table's size may come first.
  while ((block[at]! & 0xe0) === 0x20) at++;
  const first = block[at]!;
  if (first & 0x80) return STATUSES[(first & 0x7f) - 8] ?? 0;
  const length = block[at + 1]! & 0x7f;
  const isCompressed = (block[at + 1]! & 0x80) !== 0;
  const text = block.subarray(at + 2, at + 2 + length);
  return isCompressed ? compressedDigits(text) : Number(text.toString());
}

/** Huffman codes of 0, 1 and 2 have five bits, those of 3 to 9 six. */
function compressedDigits(bytes: Buffer): number {
  const bits = [...bytes].map((byte) => byte.toString(2).padStart(8, '0')).join('');
  let digits = '';
  for (let at = 0; digits.length < 3 && at + 5 <= bits.length; ) {
    const short = Number.parseInt(bits.slice(at, at + 5), 2);
    if (short <= 2) {
      digits += String(short);
      at += 5;
    } else {
      digits += String(Number.parseInt(bits.slice(at, at + 6), 2) - 0x19 + 3);
      at += 6;
    }
  }
  return Number(digits);
}
