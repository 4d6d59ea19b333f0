import { createHash } from 'node:crypto';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gzipSync, zstdCompressSync } from 'node:zlib';
import { type TarMember, tar } from './tarWriter.ts';

/** An image made for a test: documents and blobs by digest. */
export interface TestImage {
  readonly blobs: ReadonlyMap<string, Buffer>;
  /** Digest of what stands for the whole. */
  readonly root: string;
  readonly mediaType: string;
}

export interface TestImageOptions {
  /** Lowest first. */
  readonly layers: readonly (readonly TarMember[])[];
  readonly architecture?: string;
  readonly compression?: 'none' | 'gzip' | 'zstd';
  readonly format?: 'oci' | 'docker';
}

const TYPES = {
  oci: {
    manifest: 'application/vnd.oci.image.manifest.v1+json',
    index: 'application/vnd.oci.image.index.v1+json',
    config: 'application/vnd.oci.image.config.v1+json',
    layer: 'application/vnd.oci.image.layer.v1.tar',
  },
  docker: {
    manifest: 'application/vnd.docker.distribution.manifest.v2+json',
    index: 'application/vnd.docker.distribution.manifest.list.v2+json',
    config: 'application/vnd.docker.container.image.v1+json',
    layer: 'application/vnd.docker.image.rootfs.diff.tar',
  },
};

export const sha256 = (bytes: Buffer): string => `sha256:${createHash('sha256').update(bytes).digest('hex')}`;

const PACK = { none: (bytes: Buffer) => bytes, gzip: gzipSync, zstd: zstdCompressSync };

/** An image of one architecture. */
export function testImage(options: TestImageOptions): TestImage {
  const { layers, architecture = 'amd64', compression = 'gzip', format = 'oci' } = options;
  const types = TYPES[format];
  const blobs = new Map<string, Buffer>();
  const keep = (bytes: Buffer, mediaType: string) => {
    const digest = sha256(bytes);
    blobs.set(digest, bytes);
    return { mediaType, digest, size: bytes.length };
  };
  const suffix = { none: '', gzip: format === 'oci' ? '+gzip' : '.gzip', zstd: '+zstd' }[compression];
  const archives = layers.map((members) => tar(members));
  const descriptors = archives.map((each) => keep(PACK[compression](each), `${types.layer}${suffix}`));
  const config = { architecture, os: 'linux', rootfs: { type: 'layers', diff_ids: archives.map(sha256) } };
  const manifest = {
    schemaVersion: 2,
    mediaType: types.manifest,
    config: keep(Buffer.from(JSON.stringify(config)), types.config),
    layers: descriptors,
  };
  return { blobs, root: keep(Buffer.from(JSON.stringify(manifest)), types.manifest).digest, mediaType: types.manifest };
}

/** A list of images by architecture. */
export function testIndex(images: Readonly<Record<string, TestImage>>, format: 'oci' | 'docker' = 'oci'): TestImage {
  const manifests = Object.entries(images).map(([architecture, { root, mediaType, blobs }]) => ({
    mediaType,
    digest: root,
    size: blobs.get(root)?.length ?? 0,
    platform: { architecture, os: 'linux' },
  }));
  const mediaType = TYPES[format].index;
  const bytes = Buffer.from(JSON.stringify({ schemaVersion: 2, mediaType, manifests }));
  const blobs = new Map(Object.values(images).flatMap((image) => [...image.blobs]));
  return { blobs: blobs.set(sha256(bytes), bytes), root: sha256(bytes), mediaType };
}

/** An image with one disk, as people make them. */
export const diskImage = (disk: Buffer, options: Partial<TestImageOptions> = {}): TestImage =>
  testImage({
    layers: [
      [
        { name: 'disk/', flag: '5' },
        { name: 'disk/disk.img', content: disk },
      ],
    ],
    ...options,
  });

/** The files of an OCI layout. */
export function layoutFiles({ blobs, root, mediaType }: TestImage): TarMember[] {
  const manifests = [{ mediaType, digest: root, size: blobs.get(root)?.length ?? 0 }];
  return [
    { name: 'oci-layout', content: '{"imageLayoutVersion":"1.0.0"}' },
    { name: 'index.json', content: JSON.stringify({ schemaVersion: 2, manifests }) },
    ...[...blobs].map(([digest, content]) => ({ name: `blobs/${digest.replace(':', '/')}`, content })),
  ];
}

export async function writeLayout(directory: string, image: TestImage): Promise<void> {
  await mkdir(join(directory, 'blobs/sha256'), { recursive: true });
  for (const { name, content = '' } of layoutFiles(image)) await writeFile(join(directory, name), content);
}

/** A raw disk: recognisable, not all zeros, not compressible to nothing. */
export function testDisk(sizeBytes: number): Buffer {
  const disk = Buffer.alloc(sizeBytes);
  for (let at = 0; at + 4 <= sizeBytes; at += 4)
    if ((at >> 16) % 2 === 0) disk.writeUInt32LE((at * 2_654_435_761) >>> 0, at);
  return disk;
}
