import { VirtualMachine } from '@vireo/api/kinds/kubevirt/virtualMachine.ts';
import { BOOT_SECTOR_IMAGE } from '../disks/images.ts';
import { NAMESPACE } from './cluster.ts';

type Template = NonNullable<VirtualMachine['spec']['template']['spec']>;

/** A VM with the guest that fits into a boot sector, as admission would have left it. */
export const bootSectorVm = (name: string, changes: Partial<Template> = {}): VirtualMachine => ({
  apiVersion: `${VirtualMachine.group}/${VirtualMachine.version}`,
  kind: VirtualMachine.kind,
  metadata: { name, namespace: NAMESPACE, finalizers: ['kubevirt.io/virtualMachineControllerFinalize'] },
  spec: {
    runStrategy: 'Always',
    template: {
      metadata: { labels: { app: name } },
      spec: {
        architecture: 'amd64',
        terminationGracePeriodSeconds: 30,
        domain: {
          machine: { type: 'q35' },
          memory: { guest: '64Mi' },
          firmware: { uuid: '5d307ca9-b3ef-428c-8861-06e72d69f223' },
          devices: {
            disks: [{ name: 'root', disk: { bus: 'virtio' } }],
            interfaces: [{ name: 'default', masquerade: {} }],
          },
        },
        networks: [{ name: 'default', pod: {} }],
        volumes: [{ name: 'root', containerDisk: { image: BOOT_SECTOR_IMAGE } }],
        ...changes,
      },
    },
  },
});
