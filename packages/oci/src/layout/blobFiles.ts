import { constants, type FileHandle, open } from 'node:fs/promises';
import { join, posix } from 'node:path';
import { OciError } from '../errors.ts';
import { nextEntry, padding } from '../tar/entries.ts';
import { FileInput } from '../tar/input.ts';

/** Named files that lie together: in a directory, or in a tar archive. */
export interface BlobFiles {
  /** The bytes of a file; undefined when there is none of that name. */
  open(name: string): Promise<AsyncIterable<Buffer> | undefined>;
  close(): Promise<void>;
}

/** Names come from documents of the image: only plain ones, below the directory, and no link is followed. */
export function directoryFiles(directory: string): BlobFiles {
  return {
    async open(name) {
      if (!/^[\w.+-]+(\/[\w.+-]+)*$/.test(name) || name.split('/').includes('..')) return undefined;
      try {
        const file = await open(join(directory, name), constants.O_RDONLY | constants.O_NOFOLLOW);
        return file.createReadStream();
      } catch (error) {
        if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
        throw new OciError('BadImage', `${join(directory, name)} cannot be read: ${(error as Error).message}`, {
          cause: error,
        });
      }
    },
    close: async () => {},
  };
}

interface Place {
  readonly start: number;
  readonly sizeBytes: number;
  readonly linkTo?: string;
}

const MAX_LINKS = 8;

/** The members of an archive by name. Its headers are read once; names never become paths. */
export async function archiveFiles(path: string): Promise<BlobFiles> {
  const file = await open(path, 'r');
  try {
    const places = await index(file);
    return {
      async open(name) {
        let place = places.get(clean(name));
        // `docker save` of old links layers that images share.
        for (let links = 0; place?.linkTo !== undefined && links < MAX_LINKS; links++) place = places.get(place.linkTo);
        if (!place || place.linkTo !== undefined) return undefined;
        return slice(file, place);
      },
      close: () => file.close(),
    };
  } catch (error) {
    await file.close();
    throw error;
  }
}

async function index(file: FileHandle): Promise<Map<string, Place>> {
  const input = new FileInput(file, (await file.stat()).size);
  const places = new Map<string, Place>();
  for (let entry = await nextEntry(input); entry; entry = await nextEntry(input)) {
    const { type, sizeBytes, linkName } = entry;
    const name = clean(entry.name);
    if (type === 'file') places.set(name, { start: input.position, sizeBytes });
    if (type === 'hardlink') places.set(name, { start: 0, sizeBytes: 0, linkTo: clean(linkName) });
    if (type === 'symlink')
      places.set(name, { start: 0, sizeBytes: 0, linkTo: clean(posix.join(posix.dirname(name), linkName)) });
    await input.skip(sizeBytes + padding(sizeBytes));
  }
  return places;
}

const clean = (name: string): string => posix.normalize(`/${name}`).slice(1);

async function* slice(file: FileHandle, { start, sizeBytes }: Place): AsyncGenerator<Buffer> {
  const chunk = 256 * 1024;
  for (let done = 0; done < sizeBytes; ) {
    const buffer = Buffer.alloc(Math.min(chunk, sizeBytes - done));
    const { bytesRead } = await file.read(buffer, 0, buffer.length, start + done);
    if (bytesRead === 0) throw new OciError('BadImage', 'the archive was truncated while it was being read');
    done += bytesRead;
    yield buffer.subarray(0, bytesRead);
  }
}

export async function readFile(files: BlobFiles, name: string, limitBytes: number): Promise<Buffer | undefined> {
  const bytes = await files.open(name);
  if (!bytes) return undefined;
  const chunks: Buffer[] = [];
  let sizeBytes = 0;
  for await (const chunk of bytes) {
    sizeBytes += chunk.length;
    if (sizeBytes > limitBytes) throw new OciError('BadImage', `${name} is larger than ${limitBytes} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}
