import { open, stat } from 'node:fs/promises';
import { isAbsolute, normalize } from 'node:path';
import type { Volume } from '@vireo/api/kinds/kubevirt/volume.ts';
import { toBytes } from '@vireo/api/quantity.ts';
import type { DiskSource } from '@vireo/hypervisor';
import { behindLink } from '../volumes/claimDisk.ts';

type HostDisk = NonNullable<Volume['hostDisk']>;

/** The image of a hostDisk volume on this node, made where that is asked for. Only clusters that allow it get here. */
export async function hostDisk({ path, type, capacity }: HostDisk): Promise<DiskSource> {
  if (!isAbsolute(path) || normalize(path) !== path)
    throw new Error(`hostDisk.path ${JSON.stringify(path)} must be an absolute path without . and ..`);
  const found = await stat(path).catch(() => undefined);
  if (!found && type === 'DiskOrCreate') await make(path, Number(toBytes(capacity ?? '0')));
  else if (!found) throw new Error(`hostDisk: no disk at ${path} on this node`);
  else if (!found.isFile()) throw new Error(`hostDisk: ${path} on this node is not a file`);
  return { kind: 'file', path: await behindLink(path), format: 'raw', directIo: false };
}

async function make(path: string, sizeBytes: number): Promise<void> {
  if (sizeBytes <= 0) throw new Error('hostDisk.capacity is required to create the disk');
  const file = await open(path, 'wx', 0o600);
  try {
    await file.truncate(sizeBytes);
  } finally {
    await file.close();
  }
}
