import { controllerReference, type Persisted, PersistentVolumeClaim } from '@vireo/api';
import { type Client, ignoreAlreadyExists } from '@vireo/kube';
import { ScratchDisk } from './kind.ts';

/** The claim has the disk's name, so a repeated call cannot create a second one. */
export async function createClaim(disk: Persisted<ScratchDisk>, client: Client): Promise<void> {
  const { name, namespace } = disk.metadata;
  const metadata = { name, namespace, ownerReferences: [controllerReference(disk, ScratchDisk)] };
  const spec = { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: disk.spec.size } } };
  await client.of(PersistentVolumeClaim).create({ metadata, spec }).catch(ignoreAlreadyExists);
}
