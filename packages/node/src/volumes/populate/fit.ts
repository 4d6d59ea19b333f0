import { stat } from 'node:fs/promises';
import { type Persisted, PersistentVolume, PersistentVolumeClaim } from '@vireo/api';
import { ALLOCATED_BYTES, DISK_BYTES } from '@vireo/api/kinds/cdi/names.ts';
import type { Client } from '@vireo/kube';
import { sizeText } from '../provision/volume.ts';
import { BLOCK_BYTES } from '../store.ts';
import type { Target } from './receive.ts';

/** Makes the objects of a volume say how large its disk has become; what comes back is for the claim's annotations. */
export async function fitCapacity(
  client: Client,
  claim: Persisted<PersistentVolumeClaim>,
  { store, name }: Pick<Target, 'store' | 'name'>,
): Promise<Record<string, string>> {
  const { size, blocks } = await stat(store.disk(name));
  const capacity = { storage: sizeText(size) };
  await client.of(PersistentVolume).patch(name, { spec: { capacity } }, { type: 'merge' });
  const claims = client.of(PersistentVolumeClaim);
  await claims.patchExactly(claim, { status: { capacity } }, { subresource: 'status' });
  return { [DISK_BYTES]: String(size), [ALLOCATED_BYTES]: String(Math.min(blocks * BLOCK_BYTES, size)) };
}
