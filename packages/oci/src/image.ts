import { OciError } from './errors.ts';
import { chooseManifest, type Descriptor, type ImageManifest, parseJson, parseManifest } from './manifest.ts';
import { type Document, type ImageSource, MAX_DOCUMENT_BYTES } from './source.ts';

/** An image of the wanted architecture. */
export interface ResolvedImage {
  /** Digest of its manifest: names exactly these bytes. */
  readonly digest: string;
  readonly layers: readonly Descriptor[];
}

/** Lists of lists are allowed; lists without end are not. */
const DEEPEST_INDEX = 3;

/** Follows the image's document to the manifest for an architecture. */
export async function resolveImage(
  source: ImageSource,
  architecture: string,
  signal?: AbortSignal,
): Promise<ResolvedImage> {
  let document: Document = await source.root(signal);
  let isChosenByPlatform = false;
  for (let depth = 0; depth <= DEEPEST_INDEX; depth++) {
    const parsed = parseManifest(document.bytes, source.name, document.mediaType);
    if (parsed.kind === 'image') {
      if (!isChosenByPlatform) await checkArchitecture(parsed, source, architecture, signal);
      return { digest: document.digest, layers: parsed.layers };
    }
    const chosen = chooseManifest(parsed, architecture, source.name);
    isChosenByPlatform = chosen.architecture !== undefined;
    document = await source.manifest(chosen, signal);
  }
  throw new OciError('BadImage', `${source.name}: image indexes are nested more than ${DEEPEST_INDEX} levels deep`);
}

/** Only the configuration tells for what an image is that is in no list. */
async function checkArchitecture(
  { config }: ImageManifest,
  source: ImageSource,
  wanted: string,
  signal?: AbortSignal,
): Promise<void> {
  const { architecture } = parseJson(await collect(source, config, signal), `the configuration of ${source.name}`);
  if (typeof architecture === 'string' && architecture !== '' && architecture !== wanted)
    throw new OciError('WrongArchitecture', `${source.name} is an image for ${architecture}, not for ${wanted}`);
}

async function collect(source: ImageSource, descriptor: Descriptor, signal?: AbortSignal): Promise<Buffer> {
  if (descriptor.sizeBytes > MAX_DOCUMENT_BYTES)
    throw new OciError('BadImage', `the configuration of ${source.name} is too large: ${descriptor.sizeBytes} bytes`);
  const chunks: Buffer[] = [];
  for await (const chunk of source.blob(descriptor, undefined, signal)) chunks.push(chunk);
  return Buffer.concat(chunks);
}
