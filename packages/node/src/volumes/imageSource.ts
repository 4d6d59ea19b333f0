import { IMAGE_SHARED } from '@vireo/api/kinds/harvester/names.ts';
import { VirtualMachineImage } from '@vireo/api/kinds/harvester/virtualMachineImage.ts';
import type { Client } from '@vireo/kube';
import { NotReady } from './provision/notReady.ts';

/**
 * Throws unless a claim of the namespace may be made from the image. The annotation that names it is anybody's: what
 * counts is that there is such an image, and not just a claim, and that its owner has shared it.
 */
export async function expectImage(client: Client, key: string, claimNamespace: string | undefined): Promise<void> {
  const [, namespace, name] = /^([a-z0-9-]+)\/([a-z0-9.-]+)$/.exec(key) ?? [];
  if (!namespace || !name) throw new NotReady(`the image ${JSON.stringify(key)} is not namespace/name`);
  const image = await client.of(VirtualMachineImage).find(name, { namespace });
  if (!image) throw new NotReady(`VirtualMachineImage ${key} does not exist`);
  if (namespace === claimNamespace || image.metadata.labels?.[IMAGE_SHARED] === 'true') return;
  throw new NotReady(
    `VirtualMachineImage ${key} is not shared with other namespaces: its owner can share it with the label ${IMAGE_SHARED}=true`,
  );
}
