import { PersistentVolume } from '@vireo/api';
import { CDIConfig } from '@vireo/api/kinds/cdi/cdiConfig.ts';
import { DataVolume } from '@vireo/api/kinds/cdi/dataVolume.ts';
import type { UploadTokenRequest } from '@vireo/api/kinds/cdi/uploadTokenRequest.ts';
import { type Client, type Informer, Informers } from '@vireo/kube';
import { send } from './transfers.ts';

export const NAMESPACE = 'bench';
const TOKENS = `/apis/upload.cdi.kubevirt.io/v1beta1/namespaces/${NAMESPACE}/uploadtokenrequests`;

/** Makes DataVolumes and follows them from outside, as any client would. */
export class DataVolumes implements Disposable {
  readonly #client: Client;
  readonly #certificate: string;
  readonly #send: typeof send;
  readonly #stopping = new AbortController();
  readonly #informers: Informers;
  readonly #claimed: Informer<DataVolume>;
  readonly #kept: Informer<PersistentVolume>;
  readonly #waiters = new Set<() => void>();

  /** Uploads are sent from this process, or as is said. */
  static async start(client: Client, certificate: string, sender: typeof send = send): Promise<DataVolumes> {
    const volumes = new DataVolumes(client, certificate, sender);
    volumes.#informers.start(volumes.#stopping.signal);
    await volumes.#informers.whenSynced();
    return volumes;
  }

  private constructor(client: Client, certificate: string, sender: typeof send) {
    this.#client = client;
    this.#certificate = certificate;
    this.#send = sender;
    this.#informers = new Informers(client);
    const wake = (): void => {
      for (const check of this.#waiters) check();
    };
    this.#claimed = this.#informers.for(DataVolume);
    this.#kept = this.#informers.for(PersistentVolume);
    this.#claimed.on({ updated: wake });
    this.#kept.on({ deleted: wake });
  }

  async create(name: string, source: DataVolume['spec']['source'], diskMib: number): Promise<void> {
    const storage = { resources: { requests: { storage: `${diskMib}Mi` } } };
    await this.#client
      .of(DataVolume)
      .create({ metadata: { name, namespace: NAMESPACE }, spec: { source, storage, contentType: 'kubevirt' } });
  }

  /** Resolves when a DataVolume is shown in one of these phases; rejects when it has failed instead. */
  async reaches(name: string, ...phases: readonly string[]): Promise<void> {
    const { status } = await this.#until(() => {
      const found = this.#claimed.get(`${NAMESPACE}/${name}`);
      return [...phases, 'Failed'].includes(found?.status?.phase ?? '') ? found : undefined;
    });
    if (status?.phase === 'Failed') throw new Error(`DataVolume ${name} has failed: ${JSON.stringify(status)}`);
  }

  /**
   * Sends a file to a DataVolume that waits for it; resolves when the server has it as a disk, with the milliseconds
   * until it could be sent.
   */
  async upload(name: string, file: string): Promise<number> {
    const startedAt = performance.now();
    const body = { apiVersion: 'upload.cdi.kubevirt.io/v1beta1', kind: 'UploadTokenRequest', spec: { pvcName: name } };
    const issued = (await this.#client.call({ method: 'POST', path: TOKENS, body })) as UploadTokenRequest;
    const { status } = await this.#client.of(CDIConfig).get('config');
    const beginsAt = performance.now();
    const headers = { authorization: `Bearer ${issued.status?.token}` };
    const url = `${status?.uploadProxyURL}/v1beta1/upload`;
    const code = await this.#send({ url, file, ca: this.#certificate, headers });
    if (code !== 200) throw new Error(`the upload to ${name} was answered with ${code}`);
    return beginsAt - startedAt;
  }

  /** Resolves when the DataVolume and its volume are gone. */
  async remove(name: string, left: number): Promise<void> {
    await this.#client.of(DataVolume).delete(name, { namespace: NAMESPACE });
    await this.#until(() => this.#kept.list().length <= left || undefined);
  }

  [Symbol.dispose](): void {
    this.#stopping.abort();
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
