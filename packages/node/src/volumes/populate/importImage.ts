import { type Credentials, credentialsFor, isOciError, parseReference, type RegistrySettings } from '@vireo/oci';
import { pullInThread } from '../../images/pullThread.ts';
import { registrySettings } from '../../images/registries.ts';
import { BadImage } from './badImage.ts';
import { certificates, type ImportParts, secretValues } from './import.ts';
import { finish, receiveFile, type Target, tooLarge } from './receive.ts';
import type { RegistryWork } from './work.ts';

const SCHEME = 'docker://';

/** What stays wrong, however often it is tried. */
const FATAL = ['InvalidReference', 'BadImage', 'WrongArchitecture', 'NoDisk', 'BadDisk'] as const;

/** Fills a volume with the disk in a container image. */
export async function importImage(
  work: RegistryWork,
  target: Target,
  parts: ImportParts & { readonly registries: string },
): Promise<void> {
  const { onProgress, signal } = parts;
  const image = imageOf(work.url);
  try {
    const reference = parseReference(image);
    const settings = await settingsOf(work, reference.registry, parts);
    const secret = work.secret === undefined ? undefined : await secretValues(work.secret, parts);
    const credentials = secret && credentialsIn(secret, image, work.secret ?? '');
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
  } catch (error) {
    if (isOciError(error, ...FATAL)) throw new BadImage(`${image}: ${error.message}`, { cause: error });
    // Too large for the claim, or for what is free on this machine: only the second passes.
    if (isOciError(error, 'TooLarge') && (await target.store.freeBytes()) > target.sizeBytes) throw tooLarge(target);
    throw error;
  }
  await finish(target, (share) => onProgress(0.5 + share / 2), signal);
}

function imageOf(url: string): string {
  if (url.startsWith(SCHEME)) return url.slice(SCHEME.length);
  throw new BadImage(`registry url ${JSON.stringify(url)}: expected ${SCHEME} and the name of an image`);
}

async function settingsOf(
  { certificates: name }: RegistryWork,
  registry: string,
  parts: ImportParts & { readonly registries: string },
): Promise<RegistrySettings> {
  const settings = await registrySettings(parts.registries, registry);
  if (name === undefined) return settings;
  const given = await certificates(name, parts);
  return { ...settings, ca: settings.ca === undefined ? given : `${settings.ca}\n${given}` };
}

/** A secret of the importer's own kind, or one that pods pull images with. */
function credentialsIn(secret: Record<string, string>, image: string, name: string): Credentials | undefined {
  const { accessKeyId, secretKey } = secret;
  if (accessKeyId !== undefined && secretKey !== undefined) return { username: accessKeyId, password: secretKey };
  const config = secret['.dockerconfigjson'] ?? secret['.dockercfg'];
  if (config !== undefined) return credentialsFor(parseReference(image), config);
  throw new BadImage(`Secret ${name} has neither accessKeyId and secretKey nor .dockerconfigjson`);
}
