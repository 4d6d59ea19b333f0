import { FITTED } from '@vireo/api/kinds/cdi/names.ts';
import type { VirtualMachine } from '@vireo/api/kinds/kubevirt/virtualMachine.ts';
import { compareQuantities, parseQuantity } from '@vireo/api/quantity.ts';
import type { Draft } from '@vireo/kube';
import { Failure } from '../../../failure.ts';

export interface VmOptions {
  /** Reference of the image that the disk is made from. */
  readonly image: string;
  readonly name: string;
  readonly namespace: string;
  readonly memory: string;
  readonly cpus: number;
  /** Size of the claim; undefined for a disk that is made anew at every start. */
  readonly disk?: string | undefined;
  /** Whether the claim becomes as large as the image if that is larger. */
  readonly growsToImage?: boolean;
  /** What cloud-init is told; undefined where the guest does not read it. */
  readonly userData?: string | undefined;
  /** A Secret that has the user data, where it is too long for the VM. */
  readonly userDataSecret?: string | undefined;
  /** Networks beside the pod network. */
  readonly networks: readonly string[];
}

/** The claim that a launched VM has its disk on. */
export const rootClaim = (name: string): string => `${name}-root`;

/** A VM with one disk, a card on the pod network and a user, ready to be logged in to. */
export function launchedVm(options: VmOptions): Draft<VirtualMachine> {
  const { image, name, namespace, memory, cpus, disk, userData, userDataSecret, networks, growsToImage } = options;
  const claim = rootClaim(name);
  const isTold = userData !== undefined || userDataSecret !== undefined;
  const cards = networks.map((networkName, index) => ({ name: `net${index + 1}`, networkName }));
  return {
    metadata: { name, namespace },
    spec: {
      runStrategy: 'Always',
      ...(disk !== undefined && {
        dataVolumeTemplates: [
          {
            metadata: { name: claim, ...(growsToImage && { annotations: { [FITTED]: 'true' } }) },
            spec: {
              source: { registry: { url: `docker://${image}`, pullMethod: 'node' } },
              storage: { resources: { requests: { storage: disk } } },
            },
          },
        ],
      }),
      template: {
        spec: {
          domain: {
            cpu: { cores: cpus },
            memory: { guest: memory },
            devices: {
              disks: [
                { name: 'root', disk: { bus: 'virtio' } },
                ...(isTold ? [{ name: 'cloudinit', disk: { bus: 'virtio' } }] : []),
              ],
              interfaces: [
                { name: 'default', masquerade: {} },
                ...cards.map((card) => ({ name: card.name, bridge: {} })),
              ],
            },
          },
          networks: [
            { name: 'default', pod: {} },
            ...cards.map((card) => ({ name: card.name, multus: { networkName: card.networkName } })),
          ],
          volumes: [
            { name: 'root', ...(disk === undefined ? { containerDisk: { image } } : { dataVolume: { name: claim } }) },
            ...(isTold
              ? [
                  {
                    name: 'cloudinit',
                    cloudInitNoCloud: userDataSecret ? { secretRef: { name: userDataSecret } } : { userData },
                  },
                ]
              : []),
          ],
        },
      },
    },
  };
}

/** Refuses what is no size, or less than `least`, with the flag that it was given by. */
export function expectSize(flag: string, text: string, least: string): void {
  const refuse = (why: string, cause?: unknown): never => {
    throw new Failure(`${flag} ${text}: ${why}`, `For example: ${flag} 1Gi`, { cause });
  };
  try {
    parseQuantity(text);
  } catch (error) {
    refuse((error as Error).message, error);
  }
  if (compareQuantities(text, least) < 0) refuse(`it must be at least ${least}`);
}
