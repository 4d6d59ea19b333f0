import { randomUUID } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { open, rename, rm, statfs } from 'node:fs/promises';
import { dirname } from 'node:path';
import { crc32 } from 'node:zlib';
import { type DiskFormat, diskFormat } from './diskFormat.ts';
import { OciError } from './errors.ts';
import { searchLayer } from './extract/layer.ts';
import { treePath } from './extract/paths.ts';
import { searchLayers } from './extract/search.ts';
import { resolveImage } from './image.ts';
import { parseReference } from './reference.ts';
import type { Credentials } from './registry/credentials.ts';
import type { RegistrySettings } from './registry/endpoints.ts';
import { errorCode } from './registry/http.ts';
import { RegistryImage } from './registry/registry.ts';
import type { RetryPolicy } from './registry/retry.ts';
import type { ImageSource } from './source.ts';

/** How far a transfer is. */
export interface Progress {
  readonly doneBytes: number;
  readonly totalBytes: number;
}

export interface ExtractOptions {
  /** Kubernetes' word: `amd64`. */
  readonly architecture: string;
  /** The file that becomes the disk; it appears when it is whole. What has this name is replaced. */
  readonly destination: string;
  /** Where the disk is in the image; the only file in `/disk` when missing. */
  readonly path?: string;
  /** At most so many bytes are unpacked; what is free at the destination when missing. */
  readonly limitBytes?: number;
  /** Called for every piece that arrives. */
  readonly onProgress?: (progress: Progress) => void;
  readonly signal?: AbortSignal;
}

export interface PullOptions extends ExtractOptions {
  readonly credentials?: Credentials;
  readonly settings?: RegistrySettings;
  readonly retryPolicy?: RetryPolicy;
}

/** A file that came out of an image. */
export interface PulledFile {
  readonly destination: string;
  /** CRC-32 of the file. */
  readonly checksum: number;
  /** Digest of the image's manifest. */
  readonly digest: string;
  /** Compressed size of the image. */
  readonly imageBytes: number;
  /** Where it was in the image. */
  readonly path: string;
}

/** A disk that came out of an image. */
export interface PulledDisk extends PulledFile, DiskFormat {}

/**
 * Pulls an image from its registry and writes its disk to a file.
 *
 * @example
 * await pullDisk('registry.example/images/fedora:40', { architecture: 'amd64', destination: '/var/tmp/fedora.img' });
 */
export async function pullDisk(reference: string, options: PullOptions): Promise<PulledDisk> {
  const { credentials, settings, retryPolicy } = options;
  const source = new RegistryImage(parseReference(reference), { credentials, settings, retryPolicy });
  return extractDisk(source, options);
}

/** Writes the disk of an image from any source to a file. */
export function extractDisk(source: ImageSource, options: ExtractOptions): Promise<PulledDisk> {
  return extract(source, options, diskFormat);
}

/** Writes any file of an image, a kernel for one, to a file. */
export function extractFile(
  source: ImageSource,
  options: ExtractOptions & { readonly path: string },
): Promise<PulledFile> {
  return extract(source, options, async () => ({}));
}

/** `inspect` looks at the file before it gets its name, and may refuse it. */
async function extract<T extends object>(
  source: ImageSource,
  options: ExtractOptions,
  inspect: (file: string, name: string) => Promise<T>,
): Promise<PulledFile & T> {
  const { architecture, destination, signal, onProgress } = options;
  const wanted = wantedPath(options.path);
  const { digest, layers } = await resolveImage(source, architecture, signal);
  const limitBytes = options.limitBytes ?? (await freeBytes(dirname(destination)));
  const totalBytes = layers.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0);
  let doneBytes = 0;
  const parts: string[] = [];
  const fileFor = (): string => {
    const part = `${destination}.${randomUUID()}.part`;
    parts.push(part);
    return part;
  };
  try {
    const { path, found } = await searchLayers(
      layers,
      (layer, ended) => {
        const onBytes = (count: number): void => {
          doneBytes += count;
          onProgress?.({ doneBytes, totalBytes });
        };
        return searchLayer(source.blob(layer, onBytes, ended), { wanted, fileFor, limitBytes, signal: ended });
      },
      { wanted, image: source.name, signal },
    );
    const file = found.file as string;
    const inspected = await inspect(file, `${source.name}: /${path}`);
    const checksum = await checksumOf(file);
    await sync(file);
    await rename(file, destination);
    await sync(dirname(destination));
    return { ...inspected, destination, checksum, digest, imageBytes: totalBytes, path: `/${path}` };
  } catch (error) {
    if (errorCode(error) !== 'ENOSPC') throw error;
    throw new OciError('TooLarge', `no space left on the device for the disk of ${source.name}`, { cause: error });
  } finally {
    for (const part of parts) await rm(part, { force: true });
  }
}

function wantedPath(path: string | undefined): string | undefined {
  if (!path) return undefined;
  if (!path.startsWith('/') || path.split('/').includes('..') || treePath(path) === '')
    throw new OciError('BadDisk', `${JSON.stringify(path)} is not an absolute path of a file in an image`);
  return treePath(path);
}

async function freeBytes(directory: string): Promise<number> {
  const { bavail, bsize } = await statfs(directory);
  return bavail * bsize;
}

/** A file lasts when it is on disk, and its name when its directory is. */
async function sync(path: string): Promise<void> {
  const handle = await open(path, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/** CRC-32 of a file: what KubeVirt shows as the checksum of a container disk. */
async function checksumOf(path: string): Promise<number> {
  let checksum = 0;
  for await (const chunk of createReadStream(path, { highWaterMark: 1024 * 1024 })) checksum = crc32(chunk, checksum);
  return checksum;
}
