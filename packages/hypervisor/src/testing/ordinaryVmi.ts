import type { VirtualMachineInstance } from '@vireo/api/kinds/kubevirt/virtualMachineInstance.ts';
import type { Architecture } from '../architecture.ts';
import { vmiWith } from './fixtures.ts';

/** A VMI as people write it, for any architecture: defaults fill in the rest. */
export const ordinaryVmi = (architecture: Architecture): VirtualMachineInstance =>
  vmiWith(
    {
      cpu: { cores: 2 },
      memory: { guest: '1Gi' },
      devices: {
        disks: [
          { name: 'root', disk: { bus: 'virtio' } },
          { name: 'cloudinit', disk: { bus: 'virtio' } },
        ],
        interfaces: [{ name: 'default', masquerade: {} }],
        rng: {},
      },
    },
    {
      architecture,
      networks: [{ name: 'default', pod: {} }],
      volumes: [
        { name: 'root', containerDisk: { image: 'registry.example/guest:1' } },
        { name: 'cloudinit', cloudInitNoCloud: { userData: '#cloud-config' } },
      ],
    },
  );
