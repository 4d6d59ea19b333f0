import { changes, conditionsPatch, isReason, Pod } from '@vireo/api';
import { VirtualMachineInstance } from '@vireo/api/kinds/kubevirt/virtualMachineInstance.ts';
import type { Client } from '@vireo/kube';
import type { VmiStatus } from './conditions.ts';
import { Latest } from './latest.ts';

/** How the node writes to the server: only what changed, and never over what it has not seen. */
export class Writer {
  readonly vmis = new Latest<VirtualMachineInstance>();
  readonly pods = new Latest<Pod>();
  readonly #client: Client;

  constructor(client: Client) {
    this.#client = client;
  }

  /** Resolves with the instance as it is then. */
  async vmiStatus(vmi: VirtualMachineInstance, status: VmiStatus): Promise<VirtualMachineInstance> {
    const changed = changes(vmi.status ?? {}, status);
    if (!changed) return vmi;
    const { name = '', namespace, resourceVersion } = vmi.metadata;
    const body = { metadata: { resourceVersion }, status: changed };
    const options = { namespace, type: 'merge' } as const;
    return this.vmis.remember(await this.#client.of(VirtualMachineInstance).patch(name, body, options));
  }

  async podStatus(pod: Pod, status: Partial<NonNullable<Pod['status']>>): Promise<void> {
    const { name = '', namespace, uid } = pod.metadata;
    const { conditions, ...rest } = status;
    const said = conditions && conditionsPatch(pod.status?.conditions, conditions);
    const body = { metadata: { uid }, status: { ...rest, ...(said?.length && { conditions: said }) } };
    const options = { namespace, type: 'strategic' } as const;
    this.pods.remember(await this.#client.of(Pod).patchStatus(name, body, options));
  }

  /** The end of a pod that was asked to go. */
  async removePod({ metadata }: Pod): Promise<void> {
    const { name = '', namespace, uid = '' } = metadata;
    try {
      await this.#client.of(Pod).delete(name, { namespace, gracePeriodSeconds: 0, preconditions: { uid } });
    } catch (error) {
      // Gone already, or another one has its name.
      if (!isReason(error, 'NotFound', 'Conflict')) throw error;
    }
    this.pods.forget(uid);
  }
}
