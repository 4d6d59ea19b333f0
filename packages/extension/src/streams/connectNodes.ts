import { ConfigMap, Node } from '@vireo/api';
import { EXTENSION_GROUP, extensionUser } from '@vireo/api/kinds/kubevirt/identities.ts';
import {
  CLIENT_SIGNER,
  CLIENT_USAGES,
  type Client,
  type Informers,
  type Log,
  pause,
  RotatingCertificate,
  requestCertificate,
} from '@vireo/kube';
import { endpointOf } from '@vireo/kube/serving/nodeEndpoint.ts';
import { TRUST } from '../remote/trust.ts';
import type { NodeConnections } from './nodeConnections.ts';
import { tlsNodes } from './tlsNodes.ts';

export interface ConnectNodesOptions {
  /** Of the extension's account, which may have the certificate signed. */
  readonly client: Client;
  readonly informers: Informers;
  /** Part of the name that nodes see. */
  readonly instance: string;
  /** Where the certificate is kept. */
  readonly directory: string;
  /** PEM of authorities that are trusted beside those that the cluster names. */
  readonly authorities?: readonly string[];
  readonly log: Log;
}

const RETRY_MS = 10_000;

/** The way to nodes elsewhere. A certificate is asked for when the first of them is there. */
export function connectNodes(options: ConnectNodesOptions, signal: AbortSignal): NodeConnections {
  const { informers, authorities = [] } = options;
  const nodes = informers.for(Node);
  const maps = informers.for(ConfigMap, { namespace: TRUST.namespace, fieldSelector: `metadata.name=${TRUST.name}` });
  let certificate: RotatingCertificate | undefined;
  let isOpening = false;
  const look = (node: Node): void => {
    if (isOpening || !endpointOf(node)) return;
    isOpening = true;
    void openCertificate(options, signal).then((opened) => {
      certificate = opened;
    });
  };
  nodes.on({ added: look, updated: (_, node) => look(node) });
  return tlsNodes({
    find: (name) => nodes.get(name),
    certificate: () => certificate?.current(),
    authorities: () => {
      const named = maps.get(`${TRUST.namespace}/${TRUST.name}`)?.data?.['client-ca-file'];
      return [...(named ? [named] : []), ...authorities];
    },
  });
}

async function openCertificate(
  { client, instance, directory, log }: ConnectNodesOptions,
  signal: AbortSignal,
): Promise<RotatingCertificate | undefined> {
  const commonName = extensionUser(instance);
  const ask = {
    namePrefix: `vireo-extension-${instance}-`,
    signerName: CLIENT_SIGNER,
    usages: CLIENT_USAGES,
    commonName,
    organizations: [EXTENSION_GROUP],
  };
  const options = {
    directory,
    name: 'extension',
    log,
    issue: (until: AbortSignal) => requestCertificate(client, ask, until),
    isWanted: ({ subject }: { readonly subject: string }) => subject.split('\n').includes(`CN=${commonName}`),
  };
  while (!signal.aborted) {
    try {
      return await RotatingCertificate.open(options, signal);
    } catch (error) {
      if (signal.aborted) return undefined;
      log.warn('there is no certificate for connections to nodes', undefined, { user: commonName, error });
      await pause(RETRY_MS, signal);
    }
  }
  return undefined;
}
