import { knownImages } from './images.ts';
import type { Objects } from './objects.ts';
import { withSource } from './source.ts';

interface Start {
  readonly name: string;
  readonly namespace: string;
  /** Whether the server has Vireo's own image. */
  readonly isVireo: boolean;
}

/** A machine that needs nothing but a name: what `vireo launch` makes. */
export function newMachine({ name, namespace, isVireo }: Start): Objects {
  const [first] = knownImages(isVireo);
  const vm = {
    apiVersion: 'kubevirt.io/v1',
    kind: 'VirtualMachine',
    metadata: { name, namespace },
    spec: {
      runStrategy: 'Always',
      template: {
        spec: {
          domain: {
            cpu: { cores: 1 },
            memory: { guest: first?.memory ?? '1Gi' },
            devices: {
              disks: [{ name: 'root', disk: { bus: 'virtio' } }],
              interfaces: [{ name: 'default', masquerade: {} }],
            },
          },
          networks: [{ name: 'default', pod: {} }],
          volumes: [],
        },
      },
    },
  };
  return {
    vm: withSource(vm, { kind: 'image', image: first?.image ?? '', isKept: true, size: first?.disk ?? '10Gi' }),
  };
}
