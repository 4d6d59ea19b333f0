import { checkDigest, DigestCheck, digestOf, parseDigest } from '../digest.ts';
import { OciError } from '../errors.ts';
import type { Descriptor } from '../manifest.ts';
import { type Document, type ImageSource, MAX_DOCUMENT_BYTES, type OnBytes } from '../source.ts';
import { type BlobFiles, readFile } from './blobFiles.ts';

/** An image in an OCI layout, be it a directory or an archive. */
export class LayoutImage implements ImageSource {
  readonly name: string;
  readonly #files: BlobFiles;

  constructor(name: string, files: BlobFiles) {
    this.name = name;
    this.#files = files;
  }

  async root(): Promise<Document> {
    const bytes = await readFile(this.#files, 'index.json', MAX_DOCUMENT_BYTES);
    if (!bytes) throw new OciError('BadImage', `${this.name} is not an OCI layout: it has no index.json`);
    return { bytes, digest: digestOf(bytes) };
  }

  async manifest({ digest, mediaType }: Descriptor): Promise<Document> {
    const bytes = await readFile(this.#files, blobName(digest), MAX_DOCUMENT_BYTES);
    if (!bytes) throw this.#lost(digest);
    checkDigest(bytes, digest, `the manifest of ${this.name}`);
    return { bytes, digest, mediaType };
  }

  async *blob({ digest }: Descriptor, onBytes?: OnBytes, signal?: AbortSignal): AsyncGenerator<Buffer> {
    const bytes = await this.#files.open(blobName(digest));
    if (!bytes) throw this.#lost(digest);
    yield* verifyDigest(bytes, digest, `blob ${digest} of ${this.name}`, onBytes, signal);
  }

  close(): Promise<void> {
    return this.#files.close();
  }

  #lost(digest: string): OciError {
    return new OciError('BadImage', `${this.name} is incomplete: ${digest} is missing`);
  }
}

/** Passes bytes on and throws at their end unless they are what the digest names. */
export async function* verifyDigest(
  bytes: AsyncIterable<Buffer>,
  digest: string,
  what: string,
  onBytes?: OnBytes,
  signal?: AbortSignal,
): AsyncGenerator<Buffer> {
  const check = new DigestCheck(digest);
  for await (const chunk of bytes) {
    signal?.throwIfAborted();
    check.update(chunk);
    onBytes?.(chunk.length);
    yield chunk;
  }
  check.finish(what);
}

function blobName(digest: string): string {
  const { algorithm, hex } = parseDigest(digest) ?? {};
  return `blobs/${algorithm}/${hex}`;
}
