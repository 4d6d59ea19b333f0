import { join } from 'node:path';
import { ConfigMap } from '@vireo/api';
import { KUBELET_GROUP, kubeletUser, NODE_GROUP, nodeUser } from '@vireo/api/kinds/kubevirt/identities.ts';
import {
  CLIENT_SIGNER,
  CLIENT_USAGES,
  type Client,
  KUBELET_SERVING_SIGNER,
  type Log,
  RotatingCertificate,
  requestCertificate,
  SERVING_USAGES,
} from '@vireo/kube';

/** A certificate with its key, and who may have signed the other side's: PEM. */
export interface PeerCredentials {
  readonly cert: string;
  readonly key: string;
  readonly ca: string;
}

export interface PeerCertificatesOptions {
  readonly home: string;
  /** The node's name. */
  readonly name: string;
  /** Where other nodes reach this one. */
  readonly address: string;
  /** As `vireo:node:NAME`. */
  readonly client: Client;
  /** As `system:node:NAME`. */
  readonly kubelet: Client;
  readonly log: Log;
}

const AUTHORITY = { namespace: 'kube-system', name: 'extension-apiserver-authentication', key: 'client-ca-file' };

/**
 * What a node shows other nodes when guests move between them: certificates that the cluster has signed, asked for when
 * the first guest moves. Every node has both, whether it listens for consoles or not.
 */
export class PeerCertificates {
  readonly #options: PeerCertificatesOptions;
  readonly #signal: AbortSignal;
  readonly #opened = new Map<string, Promise<RotatingCertificate>>();

  constructor(options: PeerCertificatesOptions, signal: AbortSignal) {
    this.#options = options;
    this.#signal = signal;
  }

  /** For connections to other nodes: this node as the writer of VMIs, whom admission limits. */
  client(): Promise<PeerCredentials> {
    const { name, client } = this.#options;
    return this.#credentials('peer-client', client, {
      namePrefix: 'vireo-peer-',
      signerName: CLIENT_SIGNER,
      usages: CLIENT_USAGES,
      commonName: nodeUser(name),
      organizations: [NODE_GROUP],
    });
  }

  /** For connections of other nodes: this node at its address. */
  serving(): Promise<PeerCredentials> {
    const { name, kubelet, address } = this.#options;
    return this.#credentials('peer-serving', kubelet, {
      namePrefix: 'vireo-peer-serving-',
      signerName: KUBELET_SERVING_SIGNER,
      usages: SERVING_USAGES,
      commonName: kubeletUser(name),
      organizations: [KUBELET_GROUP],
      ipAddresses: [address],
    });
  }

  async #credentials(
    file: string,
    requester: Client,
    ask: Parameters<typeof requestCertificate>[1],
  ): Promise<PeerCredentials> {
    const opening = this.#opened.get(file) ?? this.#open(file, requester, ask);
    this.#opened.set(file, opening);
    // The next one tries again.
    opening.catch(() => this.#opened.delete(file));
    const { certPem: cert, keyPem: key } = (await opening).current();
    return { cert, key, ca: await this.#authority() };
  }

  #open(file: string, requester: Client, ask: Parameters<typeof requestCertificate>[1]): Promise<RotatingCertificate> {
    const { home, log } = this.#options;
    return RotatingCertificate.open(
      {
        directory: join(home, 'pki'),
        name: file,
        log,
        isWanted: (kept) =>
          kept.subject.split('\n').includes(`CN=${ask.commonName}`) &&
          (ask.ipAddresses ?? []).every((address) => kept.checkIP(address) !== undefined),
        issue: (stop) => requestCertificate(requester, ask, stop),
      },
      this.#signal,
    );
  }

  /** Read each time: it may change, and guests move seldom. */
  async #authority(): Promise<string> {
    const { namespace, name, key } = AUTHORITY;
    const pem = (await this.#options.client.of(ConfigMap).get(name, { namespace })).data?.[key];
    if (!pem) throw new Error(`the cluster publishes no ${key} in ConfigMap ${namespace}/${name}`);
    return pem;
  }
}
