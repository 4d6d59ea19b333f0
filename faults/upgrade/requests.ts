import { setTimeout as delay } from 'node:timers/promises';
import { VirtualMachine } from '@vireo/api/kinds/kubevirt/virtualMachine.ts';
import { Vmi } from '@vireo/api/kinds/kubevirt/vmi.ts';
import { Client, httpTransport, loadKubeconfig } from '@vireo/kube';

const EVERY_MS = 200;
/** A client that tries again gets its answer within this time. */
const PATIENCE_MS = 10_000;

/** What a client saw of VMs while their roles were replaced. */
export class Requests {
  made = 0;
  readonly #repeated: string[] = [];
  readonly #problems = new Set<string>();
  readonly #stopping = new AbortController();
  readonly #kubeconfig: string;
  readonly #vms: readonly string[];
  #running: Promise<void> = Promise.resolve();

  constructor(kubeconfig: string, vms: readonly string[]) {
    this.#kubeconfig = kubeconfig;
    this.#vms = vms;
  }

  start(): void {
    this.#running = this.#run();
  }

  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#running;
  }

  /** What was wrong since the last call. */
  problems(): string[] {
    const found = [...this.#problems];
    this.#problems.clear();
    return found;
  }

  /** The requests that had to be sent again since the last call, and why. */
  repeated(): string[] {
    return this.#repeated.splice(0);
  }

  async #run(): Promise<void> {
    const client = new Client(httpTransport(await loadKubeconfig({ path: this.#kubeconfig })));
    const uids = new Map<string, string>();
    const at = { namespace: 'default' };
    while (!this.#stopping.signal.aborted) {
      const annotations = { 'example.com/touched': String(this.made) };
      const name = this.#vms[this.made % this.#vms.length] ?? '';
      // Admission by a webhook, an aggregated API, and what the node says.
      await this.#send(`PATCH of the VM ${name}`, () =>
        client.of(VirtualMachine).patch(name, { metadata: { annotations } }, { ...at, type: 'merge' }),
      );
      await this.#send('GET of the aggregated API', async () => {
        const path = '/apis/subresources.kubevirt.io/v1/version';
        const { status, body } = await client.transport.call({ method: 'GET', path });
        if (status !== 200) throw new Error(`status ${status}: ${JSON.stringify(body)}`);
      });
      await this.#send('list of VMIs', async () => {
        const { items } = await client.of(Vmi).list(at);
        for (const each of this.#vms) this.#look(each, items, uids);
      });
      await delay(EVERY_MS);
    }
    await client.close();
  }

  /** Every VM has one VMI all the time, the same one, and it runs. */
  #look(name: string, vmis: readonly Vmi[], uids: Map<string, string>): void {
    const { metadata, status } = vmis.find((each) => each.metadata.name === name) ?? {};
    const uid = metadata?.uid ?? 'missing';
    if (!uids.has(name)) uids.set(name, uid);
    if (uids.get(name) !== uid) this.#problems.add(`${name} has another VMI than before`);
    if (status?.phase !== 'Running') this.#problems.add(`the VMI of ${name} was ${status?.phase ?? 'missing'}`);
  }

  async #send(what: string, request: () => Promise<unknown>): Promise<void> {
    this.made++;
    const deadline = performance.now() + PATIENCE_MS;
    for (let attempt = 0; ; attempt++) {
      try {
        await request();
        return;
      } catch (error) {
        if (attempt === 0) this.#repeated.push(`${what}: ${(error as Error).message}`);
        if (performance.now() > deadline) {
          this.#problems.add(`${what} failed for ${PATIENCE_MS / 1000} s: ${(error as Error).message}`);
          return;
        }
        await delay(EVERY_MS);
      }
    }
  }
}
