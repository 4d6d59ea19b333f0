import { link, readdir, readFile, realpath, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Volume } from '@vireo/api/kinds/kubevirt/volume.ts';
import { type Credentials, credentialsFor, type ImageReference } from '@vireo/oci';
import type { ReadSecret } from '../disks/cloudInit.ts';
import { imageFiles } from '../disks/imageFiles.ts';
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
 * Makes the overlay of a container disk: the image stays as it is, and what the guest writes is the VMI's own. Returns
 * the files that the overlay lies on. They are kept beside the overlay: in its header
 * a guest could have put others.
 */
export async function makeContainerDisk(
  source: NonNullable<Volume['containerDisk']>,
  files: ContainerDiskFiles,
  context: ContainerDiskContext,
): Promise<readonly string[]> {
  if (await exists(files.overlay)) return (await readLabel(files.label)).backing ?? [];
  try {
    const found = await context.images.resolve(source.image, { path: source.path, ...pullOptions(source, context) });
    const { base, backing } = await chooseBase(found, files.base, context);
    const { checksum } = found;
    const label: Label = { ...(checksum !== undefined && { checksum }), backing };
    await writeFile(files.label, JSON.stringify(label), { mode: 0o600 });
    await createQcow2(files.overlay, emptyQcow2(await virtualBytes(base), base));
    return backing;
  } catch (error) {
    if (error instanceof VolumeError) throw error;
    throw new VolumeError('ErrImagePull', (error as Error).message, { cause: error });
  }
}

/**
 * What an overlay lies on. A guest with a user of its own reads our images by a link, which it is let to. Somebody else's
 * image stays as it is, and one that consists of several files stays where it is: their names count from there.
 */
async function chooseBase(
  found: LocalImage,
  place: string,
  { images, isPrivate }: ContainerDiskContext,
): Promise<{ base: LocalImage; backing: readonly string[] }> {
  if (found.isCached) return linkedBase(await ownLink(found, place));
  const names = await imageFiles(found);
  const path = await realpath(found.path);
  if (isPrivate && names.length === 1) {
    const base = (await images.keeps(path)) ? await ownLink(found, place) : { ...found, path };
    return base.path === place ? linkedBase(base) : { base: { ...base, path }, backing: [path] };
  }
  const real = await Promise.all(names.map((name) => realpath(name)));
  return { base: found, backing: [...new Set([...names, ...real])] };
}

const linkedBase = (base: LocalImage): { base: LocalImage; backing: readonly string[] } => ({
  base,
  backing: [base.path],
});

/** What is known of an image's disk. */
interface Label {
  readonly checksum?: number;
  readonly backing?: readonly string[];
}

const readLabel = async (path: string): Promise<Label> => {
  const text = await readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return '{}';
    throw error;
  });
  return JSON.parse(text);
};

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
  const read = async (name: string): Promise<[string, number][]> => {
    const { checksum } = await readLabel(join(directory, name));
    return checksum === undefined ? [] : [[name.slice(0, -LABEL.length), checksum]];
  };
  return Object.fromEntries((await Promise.all(names.map(read))).flat());
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
