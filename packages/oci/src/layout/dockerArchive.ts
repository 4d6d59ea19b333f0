import { digestOf } from '../digest.ts';
import { OciError } from '../errors.ts';
import { type Descriptor, parseJson } from '../manifest.ts';
import { type Document, type ImageSource, MAX_DOCUMENT_BYTES, type OnBytes } from '../source.ts';
import { type BlobFiles, readFile } from './blobFiles.ts';
import { verifyDigest } from './layout.ts';

/**
 * An image as `docker save` writes it. Its layers are not named by digest; the configuration has the digests of their
 * content, which serve as well.
 */
export class DockerArchiveImage implements ImageSource {
  readonly name: string;
  readonly #files: BlobFiles;
  /** Names of members by digest. */
  readonly #members = new Map<string, string>();

  constructor(name: string, files: BlobFiles) {
    this.name = name;
    this.#files = files;
  }

  async root(): Promise<Document> {
    const { Config, Layers } = await this.#readManifest();
    const config = await this.#read(Config);
    const configDigest = digestOf(config);
    const diffIds = diffIdsOf(config, this.name);
    if (diffIds.length !== Layers.length)
      throw new OciError(
        'BadImage',
        `${this.name} has ${Layers.length} layers, but its configuration lists ${diffIds.length}`,
      );
    this.#members.set(configDigest, Config);
    for (const [index, diffId] of diffIds.entries()) this.#members.set(diffId, Layers[index] ?? '');
    const layers = diffIds.map((digest) => ({ digest, size: 0 }));
    const bytes = Buffer.from(
      JSON.stringify({ schemaVersion: 2, config: { digest: configDigest, size: config.length }, layers }),
    );
    return { bytes, digest: digestOf(bytes) };
  }

  async manifest(): Promise<Document> {
    throw new OciError('BadImage', `${this.name}: an archive from docker save has no image index`);
  }

  async *blob({ digest }: Descriptor, onBytes?: OnBytes, signal?: AbortSignal): AsyncGenerator<Buffer> {
    const member = this.#members.get(digest) ?? '';
    const bytes = await this.#files.open(member);
    if (!bytes) throw new OciError('BadImage', `${this.name} is incomplete: ${JSON.stringify(member)} is missing`);
    yield* verifyDigest(bytes, digest, `${member} of ${this.name}`, onBytes, signal);
  }

  close(): Promise<void> {
    return this.#files.close();
  }

  async #readManifest(): Promise<{ Config: string; Layers: string[] }> {
    const bytes = await this.#read('manifest.json');
    // The document is a list; its images are objects.
    const { images } = parseJson(Buffer.concat([Buffer.from('{"images":'), bytes, Buffer.from('}')]), this.name);
    const [first, second] = Array.isArray(images) ? images : [];
    if (second !== undefined)
      throw new OciError('BadImage', `${this.name} contains several images; save only the one with the disk`);
    const { Config, Layers } = first ?? {};
    if (typeof Config !== 'string' || !Array.isArray(Layers) || !Layers.every((each) => typeof each === 'string'))
      throw new OciError('BadImage', `${this.name}: manifest.json lacks the configuration or the layers`);
    return { Config, Layers };
  }

  async #read(member: string): Promise<Buffer> {
    const bytes = await readFile(this.#files, member, MAX_DOCUMENT_BYTES);
    if (!bytes) throw new OciError('BadImage', `${this.name} is incomplete: ${JSON.stringify(member)} is missing`);
    return bytes;
  }
}

function diffIdsOf(config: Buffer, name: string): string[] {
  const { rootfs } = parseJson(config, `the configuration of ${name}`);
  const ids: unknown = typeof rootfs === 'object' && rootfs !== null && 'diff_ids' in rootfs ? rootfs.diff_ids : [];
  if (!Array.isArray(ids) || !ids.every((id) => typeof id === 'string'))
    throw new OciError('BadImage', `the configuration of ${name} does not list layers`);
  return ids;
}
