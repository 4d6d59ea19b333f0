const BLOCK = 512;
/** What the eleven octal digits of a header can say. */
const LARGEST_OCTAL = 8 ** 11;
const LONGEST_NAME = 100;

/** A file to be put into an archive. */
export interface TarFile {
  readonly name: string;
  readonly sizeBytes: number;
  readonly modifiedAtMs: number;
  readonly data: AsyncIterable<Buffer>;
}

/** Files as a tar archive, as POSIX has it. */
export async function* tarStream(files: AsyncIterable<TarFile> | Iterable<TarFile>): AsyncGenerator<Buffer> {
  for await (const { name, sizeBytes, modifiedAtMs, data } of files) {
    yield headerOf(name, sizeBytes, modifiedAtMs);
    yield* data;
    yield padding(sizeBytes);
  }
  yield Buffer.alloc(2 * BLOCK);
}

/** The header of a file, after one that extends it where its fields are too short. */
function headerOf(name: string, sizeBytes: number, modifiedAtMs: number): Buffer {
  const records = [
    ...(Buffer.byteLength(name) > LONGEST_NAME ? [paxRecord('path', name)] : []),
    ...(sizeBytes >= LARGEST_OCTAL ? [paxRecord('size', String(sizeBytes))] : []),
  ];
  const own = header(name, sizeBytes < LARGEST_OCTAL ? sizeBytes : 0, modifiedAtMs, '0');
  if (records.length === 0) return own;
  const extension = Buffer.from(records.join(''));
  return Buffer.concat([
    header('PaxHeader', extension.length, modifiedAtMs, 'x'),
    extension,
    padding(extension.length),
    own,
  ]);
}

function header(name: string, sizeBytes: number, modifiedAtMs: number, type: '0' | 'x'): Buffer {
  const block = Buffer.alloc(BLOCK);
  block.write(name, 0, LONGEST_NAME);
  block.write('0000600\0', 100);
  block.write('0000000\0', 108);
  block.write('0000000\0', 116);
  block.write(`${octal(sizeBytes, 11)}\0`, 124);
  block.write(`${octal(Math.floor(modifiedAtMs / 1000), 11)}\0`, 136);
  // The sum is of a header whose sum is spaces.
  block.write('        ', 148);
  block.write(type, 156);
  block.write('ustar\x0000', 257);
  const sum = block.reduce((total, byte) => total + byte, 0);
  block.write(`${octal(sum, 6)}\0 `, 148);
  return block;
}

const octal = (value: number, digits: number): string => value.toString(8).padStart(digits, '0');

const padding = (sizeBytes: number): Buffer => Buffer.alloc((BLOCK - (sizeBytes % BLOCK)) % BLOCK);

/** `LENGTH KEY=VALUE\n`, where the length counts itself. */
function paxRecord(key: string, value: string): string {
  const rest = Buffer.byteLength(` ${key}=${value}\n`);
  let length = rest + String(rest).length;
  if (rest + String(length).length !== length) length = rest + String(length).length;
  return `${length} ${key}=${value}\n`;
}
