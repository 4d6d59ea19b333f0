import { VirtualMachineInstance } from '@vireo/api/kinds/kubevirt/virtualMachineInstance.ts';
import type { Draft } from '@vireo/kube';
import { GUEST_IMAGE } from '@vireo/node';
import { NAMESPACE } from '../vms/objects.ts';
import { OUTSIDE, PORTS } from './places.ts';
import { RECEIVED } from './transfers.ts';

/** A Linux guest on one of the networks. */
export interface Guest {
  /** Its domain. */
  readonly domain: string;
  readonly mac: string;
  /** Where the host and others reach it; undefined with user networking. */
  readonly address?: string;
}

/**
 * What every guest does: it serves endless data, takes and discards data, and has a shell that comes to the host outside.
 * `sink` says when it has everything; `take` reads so many times 64 KiB.
 */
const userData = `#!/bin/sh
exec >/dev/null 2>&1 </dev/null
script() { { echo '#!/bin/sh'; cat; } >/usr/bin/$1; chmod 755 /usr/bin/$1; }
script sink <<'END'
cat >/dev/null
echo ${RECEIVED}
END
script take <<'END'
dd bs=64k count=$1 iflag=fullblock of=/dev/null
END
script control <<'END'
cat /sys/class/net/eth0/address
exec sh
END
nc -ll -p ${PORTS.source} -e cat /dev/zero &
nc -ll -p ${PORTS.sink} -e sink &
while :; do nc ${OUTSIDE} ${PORTS.control} -e control; sleep 0.2; done &
`;

type Spec = VirtualMachineInstance['spec'];

const spec = {
  terminationGracePeriodSeconds: 0,
  domain: {
    memory: { guest: '192Mi' },
    resources: { requests: { cpu: '10m' } },
    devices: {
      disks: [
        { name: 'root', disk: { bus: 'virtio' } },
        { name: 'settings', disk: { bus: 'virtio' } },
      ],
      interfaces: [{ name: 'default', masquerade: {} }],
    },
  },
  networks: [{ name: 'default', pod: {} }],
  volumes: [
    { name: 'root', containerDisk: { image: GUEST_IMAGE } },
    { name: 'settings', cloudInitNoCloud: { userData } },
  ],
} as const;

/** The guest as a VMI, with a label that has its name. */
export const linuxVmi = (name: string): Draft<VirtualMachineInstance> => ({
  apiVersion: `${VirtualMachineInstance.group}/${VirtualMachineInstance.version}`,
  kind: VirtualMachineInstance.kind,
  metadata: { name, namespace: NAMESPACE, labels: { app: name } },
  spec: structuredClone(spec) as unknown as Spec,
});
