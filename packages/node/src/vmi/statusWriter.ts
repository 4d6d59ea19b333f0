import { conditionsPatch, mergePatchBetween, type Persisted, Pod } from '@vireo/api';
import { VirtualMachineInstance } from '@vireo/api/kinds/kubevirt/virtualMachineInstance.ts';
import type { Vmi, VmiStatus } from '@vireo/api/kinds/kubevirt/vmi.ts';
import { type Client, ignoreNotFoundOrConflict } from '@vireo/kube';
import { MutationCache } from './mutationCache.ts';

/** How the node writes to the server: only what changed, and never over what it has not seen. */
export class StatusWriter {
  readonly vmis = new MutationCache<VirtualMachineInstance>();
  readonly pods = new MutationCache<Pod>();
  readonly #client: Client;
  readonly #kubelet: Client;

  /** `kubelet` writes pods, `client` VMIs. */
  constructor({ client, kubelet }: { readonly client: Client; readonly kubelet: Client }) {
    this.#client = client;
    this.#kubelet = kubelet;
  }

  /** Resolves with the VMI as it is then. */
  async vmiStatus(vmi: Vmi, status: VmiStatus): Promise<Vmi> {
    const changed = mergePatchBetween(vmi.status ?? {}, status);
    if (!changed) return vmi;
    const vmis = this.#client.of(VirtualMachineInstance);
    return this.vmis.remember(await vmis.patchIfUnchanged(vmi, { status: changed }));
  }

  /** Annotates a VMI, unless it has changed since. */
  async vmiAnnotations(vmi: Vmi, annotations: Readonly<Record<string, string>>): Promise<void> {
    const vmis = this.#client.of(VirtualMachineInstance);
    this.vmis.remember(await vmis.patchIfUnchanged(vmi, { metadata: { annotations } }));
  }

  async podStatus(
    pod: Persisted<Pod>,
    status: Partial<NonNullable<Pod['status']>>,
    annotations?: Readonly<Record<string, string>>,
  ): Promise<void> {
    const { conditions, ...rest } = status;
    const changed = conditions && conditionsPatch(pod.status?.conditions, conditions);
    const patch = {
      ...(annotations && { metadata: { annotations } }),
      status: { ...rest, ...(changed?.length && { conditions: changed }) },
    };
    const options = { type: 'strategic', subresource: 'status' } as const;
    this.pods.remember(await this.#kubelet.of(Pod).patchExactly(pod, patch, options));
  }

  /** The end of a pod that was asked to go. */
  async removePod(pod: Persisted<Pod>): Promise<void> {
    // Gone already, or another one has its name.
    await this.#kubelet.of(Pod).deleteExactly(pod, { gracePeriodSeconds: 0 }).catch(ignoreNotFoundOrConflict);
    this.pods.forget(pod.metadata.uid);
  }
}
