import { chmod } from 'node:fs/promises';
import type { Kubectl } from '../kubectl.ts';

/** Has claims that name no class be on every node: a disc is not always uploaded to the node of its VM. */
export async function shareVolumes(kubectl: Kubectl, sharedDirectory: string, nodes: readonly string[]): Promise<void> {
  // The users of guests pass through to their disks.
  await chmod(sharedDirectory, 0o711);
  const isDefault = (is: boolean) => ({ 'storageclass.kubernetes.io/is-default-class': String(is) });
  const shared = {
    apiVersion: 'storage.k8s.io/v1',
    kind: 'StorageClass',
    metadata: { name: 'shared', annotations: isDefault(true) },
    provisioner: 'vireo.io/shared',
    parameters: { directory: sharedDirectory },
    allowVolumeExpansion: true,
  };
  const patch = JSON.stringify({ metadata: { annotations: isDefault(false) } });
  await kubectl.do(`patch storageclass local --type=merge -p '${patch}'`);
  await kubectl.do('apply -f -', { input: JSON.stringify(shared) });
  const ready = new RegExp(`shared\\.vireo\\.io/status: ready on ${nodes.join(', ')}`);
  await kubectl.until('get storageclass shared -o yaml', ready);
}
