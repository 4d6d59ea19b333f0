import { link, rm, stat } from 'node:fs/promises';
import type { Volume } from '@vireo/api/kinds/kubevirt/volume.ts';
import { type Credentials, credentialsFor, type ImageReference } from '@vireo/oci';
import type { ReadSecret } from '../disks/cloudInit.ts';
import type { ImageStore, LocalImage } from '../disks/images.ts';
import { createQcow2, emptyQcow2, virtualBytes } from '../disks/qcow2.ts';
import { VolumeError } from '../disks/volumeError.ts';
import type { PullObserver } from './pulledImages.ts';

/** What a container disk is made with. */
export interface ContainerDiskContext {
  readonly images: ImageStore;
  readonly readSecret: ReadSecret;
  /** Told how the pull of an image goes. */
  readonly observe?: (image: string) => PullObserver;
}

/** Files of the machine that a container disk consists of. */
export interface ContainerDiskFiles {
  /** What the guest writes. */
  readonly overlay: string;
  /** The image's disk under a name of the machine's: it stays for as long as the machine does. */
  readonly base: string;
}

/** Makes the overlay of a container disk: the image stays as it is, and what the guest writes is the machine's own. */
export async function makeContainerDisk(
  source: NonNullable<Volume['containerDisk']>,
  files: ContainerDiskFiles,
  { images, readSecret, observe }: ContainerDiskContext,
): Promise<void> {
  if (await exists(files.overlay)) return;
  const { image, path, imagePullPolicy: policy, imagePullSecret: secret } = source;
  try {
    const found = await images.resolve(image, {
      path,
      policy,
      credentials: (reference) => pullCredentials(secret, reference, readSecret),
      ...observe?.(image),
    });
    const base = found.isCached ? await ownLink(found, files.base) : found;
    await createQcow2(files.overlay, emptyQcow2(await virtualBytes(base), base));
  } catch (error) {
    if (error instanceof VolumeError) throw error;
    throw new VolumeError('ErrImagePull', (error as Error).message, { cause: error });
  }
}

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
    throw new Error(`pull secret ${JSON.stringify(secret)} has no key .dockerconfigjson; is it of another type?`);
  return credentialsFor(reference, config.toString('utf8'));
}

/** The cache counts links: while the machine has one, the disk is in use, and it stays even if it is removed there. */
async function ownLink(image: LocalImage, path: string): Promise<LocalImage> {
  await rm(path, { force: true });
  await link(image.path, path).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'EXDEV') throw error;
    throw new Error(`the images and the machines of a home must be on one file system: ${error.message}`);
  });
  return { ...image, path };
}

const exists = (path: string): Promise<boolean> =>
  stat(path).then(
    () => true,
    () => false,
  );
