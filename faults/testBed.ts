import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { Namespace } from '@vireo/api';
import { KubeVirt } from '@vireo/api/kinds/kubevirt/kubeVirt.ts';
import { Client, type HttpConfig, httpTransport, loadKubeconfig } from '@vireo/kube';
import { startVireo, type Vireo } from '../e2e/vireo.ts';
import { NAMESPACE } from './objects.ts';
import { Wire } from './wire.ts';

/** Who runs the VMs: QEMU, or nobody. */
export type Ground = 'real' | 'stub';

const SIMULATED_NODES = 3;
const MAX_STARTS = 10;
const RETRY_MS = 1000;

/** A Vireo that is killed and started again on one home and one port. */
export class TestBed {
  readonly home: string;
  readonly ground: Ground;
  #server: Vireo | undefined;
  #client: Client | undefined;
  #watcher: Client | undefined;
  #port = 0;
  #starting: Promise<void> | undefined;
  #startedAtMs = 0;
  /** What those go through whose connections are cut. */
  readonly wire = new Wire();

  constructor(home: string, ground: Ground) {
    this.home = home;
    this.ground = ground;
  }

  async open(): Promise<void> {
    await this.start();
    await this.client.of(Namespace).create({ metadata: { name: NAMESPACE } });
    if (this.ground === 'stub') await this.#chooseStub();
  }

  get client(): Client {
    if (!this.#client) throw new Error('the server has not been started yet');
    return this.#client;
  }

  /** For watches: its connection is cut now and then. */
  get watcher(): Client {
    if (!this.#watcher) throw new Error('the server has not been started yet');
    return this.#watcher;
  }

  /** How those reach the server whose connections are cut. */
  async wireTarget(): Promise<HttpConfig> {
    return {
      ...(await loadKubeconfig({ path: this.kubeconfig })),
      server: `https://127.0.0.1:${this.wire.port}`,
    };
  }

  get kubeconfig(): string {
    return join(this.home, 'kubeconfig');
  }

  get serverPid(): number {
    return this.#server?.pid ?? 0;
  }

  /** When the server of now was started. */
  get startedAtMs(): number {
    return this.#startedAtMs;
  }

  /** What the server of now has printed. */
  output(): string {
    return this.#server?.output() ?? '';
  }

  libvirtdPid(): Promise<number> {
    return readFile(join(this.home, 'libvirt/libvirtd.pid'), 'utf8').then(Number, () => 0);
  }

  /** Starts the server; whoever asks while it is being started waits for the same start. */
  start(): Promise<void> {
    this.#starting ??= this.#startPatiently().finally(() => {
      this.#starting = undefined;
    });
    return this.#starting;
  }

  async kill(): Promise<void> {
    await this.#starting;
    const server = this.#server;
    this.#server = undefined;
    await server?.kill();
  }

  /** Makes sure that there is a server that answers. */
  async ensure(): Promise<void> {
    await this.#starting;
    if (!this.#server) await this.start();
  }

  async close(): Promise<void> {
    await this.#starting;
    for (const client of [this.#client, this.#watcher]) await client?.close();
    await this.wire.close();
    await this.#server?.stop();
  }

  /** On a full disk it does not start, and says so; whoever looks after it tries again. */
  async #startPatiently(): Promise<void> {
    for (let attempt = 1; ; attempt++) {
      try {
        return await this.#startServer();
      } catch (error) {
        if (attempt === MAX_STARTS) throw error;
        await delay(RETRY_MS);
      }
    }
  }

  async #startServer(): Promise<void> {
    this.#startedAtMs = Date.now();
    const simulatedNodes = this.ground === 'stub' ? SIMULATED_NODES : 0;
    this.#server = await startVireo({ home: this.home, port: this.#port, vms: true, simulatedNodes });
    this.#port = this.#server.port;
    await this.wire.lead(this.#port);
    const before = [this.#client, this.#watcher];
    this.#client = new Client(httpTransport(await loadKubeconfig({ path: this.kubeconfig })));
    this.#watcher = new Client(httpTransport(await this.wireTarget()));
    for (const client of before) await client?.close();
  }

  async #chooseStub(): Promise<void> {
    const configuration = {
      hypervisorConfiguration: { name: 'stub' },
      developerConfiguration: { featureGates: ['ConfigurableHypervisor'] },
    };
    const at = { namespace: 'kubevirt', type: 'merge' } as const;
    await this.client.of(KubeVirt).patch('kubevirt', { spec: { configuration } }, at);
  }
}
