import { stat } from 'node:fs/promises';
import { type Credentials, credentialsFor, isOciError, parseReference, type RegistrySettings } from '@vireo/oci';
import { ImageNotFound, type ImageStore } from '../../disks/images.ts';
import { buildText } from '../../images/progressText.ts';
import { PullError } from '../../images/pullFailure.ts';
import { pullInThread } from '../../images/pullThread.ts';
import { registrySettings } from '../../images/registries.ts';
import { copyDisk } from '../copy.ts';
import { BadImage } from './badImage.ts';
import { certificates, type ImportParts, secretValues } from './import.ts';
import { convert, inspect } from './qemuImg.ts';
import { expectFit, finish, place, receiveFile, type Target, tooLarge } from './receive.ts';
import type { RegistryWork } from './work.ts';

const SCHEME = 'docker://';

/** What stays wrong, however often it is tried. */
const FATAL = ['InvalidReference', 'BadImage', 'WrongArchitecture', 'NoDisk', 'BadDisk'] as const;

type Parts = ImportParts & { readonly registries: string; readonly images: ImageStore };

/** Fills a volume with the disk in a container image. */
export async function importImage(work: RegistryWork, target: Target, parts: Parts): Promise<void> {
  const image = imageOf(work.url);
  try {
    const isKept = (await parts.images.isLocal(image)) || (work.isKept && !hasOwnSettings(work));
    await (isKept ? importKept : importPulled)(image, work, target, parts);
  } catch (error) {
    // The images of the node wrap what is wrong in the words of a kubelet.
    const cause = error instanceof PullError ? error.cause : error;
    if (cause instanceof BadImage) throw cause;
    if (cause instanceof ImageNotFound) throw new BadImage(cause.message, { cause });
    if (isOciError(cause, ...FATAL)) throw new BadImage(`${image}: ${cause.message}`, { cause });
    // Too large for the claim, or for what is free on this host: only the second passes.
    if (isOciError(error, 'TooLarge') && (await target.store.freeBytes()) > target.sizeBytes) throw tooLarge(target);
    throw error;
  }
}

/** What the node keeps was pulled with the node's settings, for the node's architecture. */
const hasOwnSettings = ({ certificates: name, architecture }: RegistryWork): boolean =>
  name !== undefined || architecture !== undefined;

/** From the images of the node, which are pulled once for all who ask. */
async function importKept(image: string, work: RegistryWork, target: Target, parts: Parts): Promise<void> {
  const { images, onProgress, onStep, signal } = parts;
  const { path, format } = await images.resolve(image, {
    credentials: () => secretCredentials(work, image, parts),
    onProgress: ({ doneBytes, totalBytes }) => onProgress(totalBytes > 0 ? doneBytes / totalBytes / 2 : 0),
    onBuilding: ({ step, stepNumber, stepCount }) => {
      // The first step finds out whether there is anything to build.
      if (stepNumber > 1) onStep(buildText({ step, stepNumber, stepCount }));
    },
  });
  signal.throwIfAborted();
  if (format === 'raw') {
    expectFit(target, (await stat(path)).size);
    await target.store.expectSpaceForCopies([path]);
    return place(target, (disk) => copyDisk(path, disk, signal));
  }
  const { virtualBytes, neededBytes } = await inspect(path);
  expectFit(target, virtualBytes);
  await target.store.expectSpace(neededBytes);
  const hasDirectIo = await target.store.hasDirectIo();
  return place(target, (disk) => convert(path, disk, (share) => onProgress(0.5 + share / 2), { hasDirectIo, signal }));
}

/** Straight from the registry: what comes is kept for nobody else. */
async function importPulled(image: string, work: RegistryWork, target: Target, parts: Parts): Promise<void> {
  const { onProgress, signal } = parts;
  const reference = parseReference(image);
  const settings = await settingsOf(work, reference.registry, parts);
  const credentials = await secretCredentials(work, image, parts);
  const from = { kind: 'registry', reference: image, settings, ...(credentials && { credentials }) } as const;
  const architecture = work.architecture ?? (process.arch === 'arm64' ? 'arm64' : 'amd64');
  await receiveFile(target, async (destination, limitBytes) => {
    const request = { from, architecture, destination, limitBytes, isDisk: true };
    const { format } = await pullInThread(
      request,
      // The second half is for what may have to be converted.
      ({ doneBytes, totalBytes }) => onProgress(totalBytes > 0 ? doneBytes / totalBytes / 2 : 0),
      signal,
    );
    return format ?? 'raw';
  });
  await finish(target, (share) => onProgress(0.5 + share / 2), signal);
}

/** The name of the image that a URL with `docker://` names. */
export function imageOf(url: string): string {
  if (url.startsWith(SCHEME)) return url.slice(SCHEME.length);
  throw new BadImage(`registry url ${JSON.stringify(url)}: expected ${SCHEME} and the name of an image`);
}

/** What a request to a registry reads: the objects of a namespace, and the file of this host about registries. */
type RegistryParts = Pick<Parts, 'kubelet' | 'namespace' | 'registries'>;

/** How this host and the source say that a registry is spoken to. */
export async function settingsOf(
  { certificates: name }: Partial<Pick<RegistryWork, 'certificates'>>,
  registry: string,
  parts: RegistryParts,
): Promise<RegistrySettings> {
  const settings = await registrySettings(parts.registries, registry);
  if (name === undefined) return settings;
  const given = await certificates(name, parts);
  return { ...settings, ca: settings.ca === undefined ? given : `${settings.ca}\n${given}` };
}

/** What the secret of the source says: one of the importer's own kind, or one that pods pull images with. */
export async function secretCredentials(
  { secret: name }: Partial<Pick<RegistryWork, 'secret'>>,
  image: string,
  parts: RegistryParts,
): Promise<Credentials | undefined> {
  if (name === undefined) return undefined;
  const secret = await secretValues(name, parts);
  const { accessKeyId, secretKey } = secret;
  if (accessKeyId !== undefined && secretKey !== undefined) return { username: accessKeyId, password: secretKey };
  const config = secret['.dockerconfigjson'] ?? secret['.dockercfg'];
  if (config !== undefined) return credentialsFor(parseReference(image), config);
  throw new BadImage(`Secret ${name} has neither accessKeyId and secretKey nor .dockerconfigjson`);
}
