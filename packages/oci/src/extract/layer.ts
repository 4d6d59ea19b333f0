import { OciError } from '../errors.ts';
import { readTar } from '../tar/entries.ts';
import { type Found, isOfInterest, type LayerFinds } from './choose.ts';
import { decompress } from './decompress.ts';
import { treePath, whiteout } from './paths.ts';
import { writeSparse } from './writeFile.ts';

export interface LayerSearch {
  /** The path of the disk in the image; undefined for whatever is in its default place. */
  readonly wanted: string | undefined;
  /** A new name for a file that is found. Names of the image never become paths. */
  readonly fileFor: () => string;
  /** How much the layer may unpack to. */
  readonly limitBytes: number;
  readonly signal?: AbortSignal;
}

/** Whoever has more there has no disk there, and writing them all out would be in vain. */
const MAX_ENTRIES = 64;

/** Reads one layer to its end and writes out the files where a disk may be. */
export async function searchLayer(source: AsyncIterable<Buffer>, search: LayerSearch): Promise<LayerFinds> {
  const entries = new Map<string, Found>();
  const hidden = new Set<string>();
  const opaque = new Set<string>();
  await decompress(
    source,
    async (content) => {
      for await (const entry of readTar(limitSize(content, search.limitBytes))) {
        const path = treePath(entry.name);
        const about = whiteout(path);
        if (about) {
          const matters = about.path === '' || isOfInterest(about.path, search.wanted);
          if (matters) (about.kind === 'opaque' ? opaque : hidden).add(about.path);
        } else if (isOfInterest(path, search.wanted)) {
          const { type, sizeBytes } = entry;
          if (sizeBytes > search.limitBytes) throw tooLarge(sizeBytes, search.limitBytes);
          const mayBeDisk = type === 'file' && (search.wanted === undefined || path === search.wanted);
          const file = mayBeDisk ? search.fileFor() : undefined;
          if (file !== undefined) await writeSparse(file, entry.body());
          if (entries.size === MAX_ENTRIES)
            throw new OciError('NoDisk', `a layer has more than ${MAX_ENTRIES} files in the directory of the disk`);
          entries.set(path, { type, sizeBytes, ...(file !== undefined && { file }) });
        }
      }
    },
    search.signal,
  );
  return { entries, hidden, opaque };
}

/** Small archives may unpack to anything; this ends it. */
async function* limitSize(content: AsyncIterable<Buffer>, limitBytes: number): AsyncGenerator<Buffer> {
  let sizeBytes = 0;
  for await (const chunk of content) {
    sizeBytes += chunk.length;
    if (sizeBytes > limitBytes) throw tooLarge(sizeBytes, limitBytes);
    yield chunk;
  }
}

const tooLarge = (sizeBytes: number, limitBytes: number): OciError =>
  new OciError('TooLarge', `a layer unpacks to at least ${sizeBytes} bytes, but only ${limitBytes} are free`);
