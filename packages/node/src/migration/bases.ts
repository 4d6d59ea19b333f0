import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import type { Vmi } from '@vireo/api/kinds/kubevirt/vmi.ts';
import { containerDiskChecksums, containerDiskFiles } from '../images/containerDisk.ts';

/** What the container disks of a VMI lie on, by volume: equal texts mean equal images. */
export type BaseDigests = Readonly<Record<string, string>>;

/** Digests of files, which are read once: images do not change. */
const known = new Map<string, Promise<string>>();

/** Reads or computes them. A disk that lies on several files, or on one elsewhere, has none. */
export async function baseDigests({ spec }: Vmi, directory: string): Promise<BaseDigests> {
  const checksums = await containerDiskChecksums(directory);
  const entries = (spec.volumes ?? []).flatMap(({ name, containerDisk }) => (containerDisk ? [name] : []));
  const digests: Record<string, string> = {};
  for (const volume of entries) {
    const checksum = checksums[volume];
    const digest =
      checksum === undefined ? await fileDigest(containerDiskFiles(directory, volume).base) : `crc:${checksum}`;
    if (digest !== undefined) digests[volume] = digest;
  }
  return digests;
}

async function fileDigest(path: string): Promise<string | undefined> {
  const found = await stat(path).catch(() => undefined);
  if (!found?.isFile()) return undefined;
  const id = `${found.dev}:${found.ino}:${found.size}:${found.mtimeMs}`;
  const digest = known.get(id) ?? sha256(path);
  known.set(id, digest);
  digest.catch(() => known.delete(id));
  return digest;
}

async function sha256(path: string): Promise<string> {
  const hash = createHash('sha256');
  for await (const chunk of createReadStream(path, { highWaterMark: 1 << 20 })) hash.update(chunk as Buffer);
  return `sha256:${hash.digest('hex')}`;
}

/** Whether everything that the disks of a VMI lie on is the same on both nodes. */
export const haveSameBases = ({ spec }: Vmi, here: BaseDigests, there: BaseDigests): boolean =>
  (spec.volumes ?? []).every(
    ({ name, containerDisk, ephemeral }) =>
      !ephemeral && (!containerDisk || (here[name] !== undefined && here[name] === there[name])),
  );
