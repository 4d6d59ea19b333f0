import { OciError } from '../errors.ts';
import { BLOCK, parseHeader, type RawHeader } from './header.ts';
import { StreamInput, type TarInput } from './input.ts';
import { parsePax, paxSize } from './pax.ts';

export type TarType = 'file' | 'directory' | 'symlink' | 'hardlink' | 'device' | 'sparse' | 'other';

/** One member of an archive. */
export interface TarEntry {
  /** As the archive has it: it may be absolute or lead out of the tree. */
  readonly name: string;
  readonly type: TarType;
  readonly linkName: string;
  readonly sizeBytes: number;
}

/** Long names and attributes; nobody needs more, and hostile archives may claim anything. */
const MAX_EXTENSION_BYTES = 1024 * 1024;

const TYPES: Readonly<Record<string, TarType>> = {
  '0': 'file',
  '7': 'file',
  '1': 'hardlink',
  '2': 'symlink',
  '3': 'device',
  '4': 'device',
  '5': 'directory',
  '6': 'device',
  S: 'sparse',
};

/** Reads up to the next member, through the headers that extend it; undefined at the end of the archive. */
export async function nextEntry(input: TarInput): Promise<TarEntry | undefined> {
  let name: string | undefined;
  let linkName: string | undefined;
  let pax: Map<string, string> = new Map();
  for (;;) {
    const block = await input.take(BLOCK);
    const header = block && parseHeader(block);
    if (!header) return undefined;
    if (header.flag === 'x') pax = parsePax(await extension(header, input));
    else if (header.flag === 'g') await extension(header, input);
    else if (header.flag === 'L') name = longName(await extension(header, input));
    else if (header.flag === 'K') linkName = longName(await extension(header, input));
    else return entryOf(header, pax, name, linkName);
  }
}

function entryOf(header: RawHeader, pax: Map<string, string>, name?: string, linkName?: string): TarEntry {
  const isSparse = [...pax.keys()].some((key) => key.startsWith('GNU.sparse.'));
  const size = pax.get('size');
  const type = isSparse ? 'sparse' : (TYPES[header.flag] ?? 'other');
  return {
    name: pax.get('GNU.sparse.name') ?? pax.get('path') ?? name ?? header.name,
    linkName: pax.get('linkpath') ?? linkName ?? header.linkName,
    type,
    // Links and directories have no body, whatever their size says.
    sizeBytes: hasBody(type) ? (size === undefined ? header.sizeBytes : paxSize(size)) : 0,
  };
}

const hasBody = (type: TarType): boolean => type === 'file' || type === 'sparse' || type === 'other';

async function extension({ sizeBytes }: RawHeader, input: TarInput): Promise<Buffer> {
  if (sizeBytes > MAX_EXTENSION_BYTES)
    throw new OciError('BadImage', `the tar archive has an extended header of ${sizeBytes} bytes, which is too large`);
  const body = sizeBytes === 0 ? Buffer.alloc(0) : await input.take(sizeBytes);
  if (!body) throw new OciError('BadImage', 'the tar archive ends in the middle of an entry');
  await input.skip(padding(sizeBytes));
  return body;
}

const longName = (body: Buffer): string => body.toString('utf8').replace(/\0.*$/s, '');

/** What fills the last block of a body. */
export const padding = (sizeBytes: number): number => (BLOCK - (sizeBytes % BLOCK)) % BLOCK;

/** A member of an archive that arrives; its body can be read until the next member is asked for. */
export interface ArrivingEntry extends TarEntry {
  body(): AsyncIterable<Buffer>;
}

/** The members of an archive as it arrives. Bodies that nobody reads are skipped; the source is read to its end. */
export async function* readTar(source: AsyncIterable<Buffer>): AsyncGenerator<ArrivingEntry> {
  const input = new StreamInput(source);
  for (let entry = await nextEntry(input); entry; entry = await nextEntry(input)) {
    let unread = entry.sizeBytes;
    yield {
      ...entry,
      body: async function* () {
        for await (const chunk of input.chunks(unread)) {
          unread -= chunk.length;
          yield chunk;
        }
      },
    };
    await input.skip(unread);
    await input.skip(padding(entry.sizeBytes));
  }
  await input.drain();
}
