import type { Descriptor } from './manifest.ts';

/** A document of an image, checked against its digest. */
export interface Document {
  readonly bytes: Buffer;
  readonly digest: string;
  readonly mediaType?: string;
}

/** Called for every piece that arrives. */
export type OnBytes = (count: number) => void;

/** Where an image comes from: a registry, a layout, an archive. */
export interface ImageSource {
  /** For messages. */
  readonly name: string;
  /** The document that stands for the whole image. */
  root(signal?: AbortSignal): Promise<Document>;
  /** A document inside it: the manifest of one platform. */
  manifest(descriptor: Descriptor, signal?: AbortSignal): Promise<Document>;
  /** A layer or configuration; ends with an error unless all of it was what its descriptor names. */
  blob(descriptor: Descriptor, onBytes?: OnBytes, signal?: AbortSignal): AsyncIterable<Buffer>;
  close(): Promise<void>;
}

/** Documents are small; what claims to be larger is not read. */
export const MAX_DOCUMENT_BYTES = 8 * 1024 * 1024;
