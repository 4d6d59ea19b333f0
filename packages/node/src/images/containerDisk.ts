import { link, readdir, readFile, realpath, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Volume } from '@vireo/api/kinds/kubevirt/volume.ts';
import { type Credentials, credentialsFor, type ImageReference } from '@vireo/oci';
import type { ReadSecret } from '../disks/cloudInit.ts';
import type { ImageStore, LocalImage } from '../disks/images.ts';
import { createQcow2, emptyQcow2, virtualBytes } from '../disks/qcow2.ts';
import { VolumeError } from '../disks/volumeError.ts';
import { exists } from '../exists.ts';
import type { PullObserver, PullOptions } from './pulledImages.ts';

/** What a container disk is made with. */
export interface ContainerDiskContext {
  readonly images: ImageStore;
  readonly readSecret: ReadSecret;
  /** Told how the pull of an image goes. */
  readonly observe?: (image: string) => PullObserver;
  /** Whether the guest has a user of its own, who reads images by links in the machine's directory alone. */
  readonly isPrivate?: boolean;
}

/** Files of the VMI that a container disk consists of. */
export interface ContainerDiskFiles {
  /** What the guest writes. */
  readonly overlay: string;
  /** The image's disk under a name of the VMI's: it stays for as long as the VMI does. */
  readonly base: string;
  /** What is known of the image's disk. */
  readonly label: string;
}

/**
 * Makes the overlay of a container disk: the image stays as it is, and what the guest writes is the VMI's own. Where
 * the overlay was made just now, the path of what it lies on.
 */
export async function makeContainerDisk(
  source: NonNullable<Volume['containerDisk']>,
  files: ContainerDiskFiles,
  context: ContainerDiskContext,
): Promise<string | undefined> {
  if (await exists(files.overlay)) return undefined;
  try {
    const found = await context.images.resolve(source.image, { path: source.path, ...pullOptions(source, context) });
    const base = found.isCached || context.isPrivate ? await ownLink(found, files.base) : found;
    if (found.checksum !== undefined) await writeFile(files.label, JSON.stringify({ checksum: found.checksum }));
    await createQcow2(files.overlay, emptyQcow2(await virtualBytes(base), base));
    return base.path;
  } catch (error) {
    if (error instanceof VolumeError) throw error;
    throw new VolumeError('ErrImagePull', (error as Error).message, { cause: error });
  }
}

const LABEL = '.image.json';
/** How the names of links to images end. */
export const BASE = '.base';

/** The files of a volume in its VMI's directory. */
export const containerDiskFiles = (directory: string, volume: string): ContainerDiskFiles => ({
  overlay: join(directory, `${volume}.qcow2`),
  base: join(directory, `${volume}${BASE}`),
  label: join(directory, `${volume}${LABEL}`),
});

/** Checksums of the container disks of a VMI, by volume. */
export async function containerDiskChecksums(directory: string): Promise<Record<string, number>> {
  const names = (await readdir(directory).catch(() => [])).filter((name) => name.endsWith(LABEL));
  const read = async (name: string): Promise<[string, number]> => {
    const { checksum }: { checksum: number } = JSON.parse(await readFile(join(directory, name), 'utf8'));
    return [name.slice(0, -LABEL.length), checksum];
  };
  return Object.fromEntries(await Promise.all(names.map(read)));
}

/** How the image of a volume or of a kernel is pulled. */
export const pullOptions = (
  { image, imagePullPolicy: policy, imagePullSecret: secret }: PullFields,
  { readSecret, observe }: ContainerDiskContext,
): PullOptions => ({
  policy,
  credentials: (reference) => pullCredentials(secret, reference, readSecret),
  ...observe?.(image),
});

type PullFields = Pick<NonNullable<Volume['containerDisk']>, 'image' | 'imagePullPolicy' | 'imagePullSecret'>;

/** What a pull secret says about an image's registry. */
async function pullCredentials(
  secret: string | undefined,
  reference: ImageReference,
  readSecret: ReadSecret,
): Promise<Credentials | undefined> {
  if (!secret) return undefined;
  const data = await readSecret(secret).catch((error: Error) => {
    throw new Error(`pull secret ${JSON.stringify(secret)}: ${error.message}`, { cause: error });
  });
  const config = data['.dockerconfigjson'] ?? data['.dockercfg'];
  if (!config)
    throw new Error(
      `pull secret ${JSON.stringify(secret)} has no key .dockerconfigjson: use a Secret of type kubernetes.io/dockerconfigjson`,
    );
  return credentialsFor(reference, config.toString('utf8'));
}

/** The cache counts links: while the VMI has one, the disk is in use, and it stays even if it is removed there. */
export async function ownLink(image: LocalImage, path: string): Promise<LocalImage> {
  await rm(path, { force: true });
  try {
    await link(await realpath(image.path), path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EXDEV') throw error;
    if (!image.isCached) return image;
    throw new Error(`the images and the VMIs of a home must be on the same file system: ${(error as Error).message}`);
  }
  return { ...image, path };
}
