import { controllerReference, isDeleting, type Persisted, PersistentVolumeClaim } from '@vireo/api';
import { type Client, type Draft, ignoreAlreadyExists } from '@vireo/kube';
import { DiskSet } from './kind.ts';

export async function reconcileDiskSet(
  set: Persisted<DiskSet>,
  claims: readonly PersistentVolumeClaim[],
  size: string | undefined,
  client: Client,
): Promise<void> {
  if (isDeleting(set)) return; // the garbage collector removes the claims
  for (const draft of size ? missingClaims(set, claims, size) : [])
    await client.of(PersistentVolumeClaim).create(draft).catch(ignoreAlreadyExists);
  const bound = claims.filter(({ status }) => status?.phase === 'Bound').length;
  await client.of(DiskSet).writeStatus(set, { bound });
}

/** The names are fixed: however often this is called, nothing is made twice. */
export function missingClaims(
  set: Persisted<DiskSet>,
  claims: readonly PersistentVolumeClaim[],
  size: string,
): Draft<PersistentVolumeClaim>[] {
  const { name, namespace } = set.metadata;
  const isMissing = (wanted: string) => !claims.some(({ metadata }) => metadata.name === wanted);
  const names = Array.from({ length: set.spec.count }, (_, index) => `${name}-${index}`);
  return names.filter(isMissing).map((wanted) => ({
    metadata: { name: wanted, namespace, ownerReferences: [controllerReference(set, DiskSet)] },
    spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: size } } },
  }));
}
