import type { KubeObject, Persisted } from '@vireo/api';
import { VirtualMachine } from '@vireo/api/kinds/kubevirt/virtualMachine.ts';
import { VirtualMachineInstance } from '@vireo/api/kinds/kubevirt/virtualMachineInstance.ts';
import { type Client, type Informer, Informers } from '@vireo/kube';
import { NAMESPACE } from './objects.ts';

/** Watches VMs and VMIs from outside, as any client would, and tells when they are as wanted. */
export class Follower implements Disposable {
  readonly #stopping = new AbortController();
  readonly #informers: Informers;
  readonly #vms: Informer<VirtualMachine>;
  readonly #vmis: Informer<VirtualMachineInstance>;
  readonly #waiters = new Set<() => void>();

  static async start(client: Client): Promise<Follower> {
    const follower = new Follower(client);
    follower.#informers.start(follower.#stopping.signal);
    await follower.#informers.whenSynced();
    return follower;
  }

  private constructor(client: Client) {
    this.#informers = new Informers(client);
    this.#vms = this.#informers.for(VirtualMachine, { namespace: NAMESPACE });
    this.#vmis = this.#informers.for(VirtualMachineInstance, { namespace: NAMESPACE });
    const wake = (): void => {
      for (const check of this.#waiters) check();
    };
    const handlers = { added: wake, updated: wake, deleted: wake };
    this.#vms.on(handlers);
    this.#vmis.on(handlers);
  }

  /** The uid of a VMI, once there is one. */
  async uidOf(name: string): Promise<string> {
    const { metadata } = await this.#until(() => this.#vmi(name));
    return metadata.uid;
  }

  /** What is found in a VMI, once it is there. */
  find<T>(name: string, find: (vmi: Persisted<VirtualMachineInstance>) => T | undefined): Promise<T> {
    return this.#until(() => {
      const vmi = this.#vmi(name);
      return vmi && find(vmi);
    });
  }

  /** Resolves when the VMI is shown to run; rejects when it has ended instead. */
  async running(name: string): Promise<void> {
    const { status } = await this.#until(() => {
      const vmi = this.#vmi(name);
      return ['Running', 'Succeeded', 'Failed'].includes(vmi?.status?.phase ?? '') ? vmi : undefined;
    });
    if (status?.phase !== 'Running') throw new Error(`VMI ${name} has ended: ${JSON.stringify(status)}`);
  }

  /** Resolves when neither VM nor VMI of that name is left. */
  async gone(name: string): Promise<void> {
    const find = (informer: Informer<never>): KubeObject | undefined => informer.get(`${NAMESPACE}/${name}`);
    const informers = [this.#vms, this.#vmis] as unknown as Informer<never>[];
    await this.#until(() => (informers.some(find) ? undefined : true));
  }

  [Symbol.dispose](): void {
    this.#stopping.abort();
  }

  #vmi(name: string): Persisted<VirtualMachineInstance> | undefined {
    return this.#vmis.get(`${NAMESPACE}/${name}`);
  }

  /** Calls `find` now and after every change, until it returns something. */
  #until<T>(find: () => T | undefined): Promise<T> {
    return new Promise((resolve) => {
      const check = (): void => {
        const found = find();
        if (found === undefined) return;
        this.#waiters.delete(check);
        resolve(found);
      };
      this.#waiters.add(check);
      check();
    });
  }
}
