import { Resolver } from 'node:dns/promises';
import { isIPv6 } from 'node:net';
import { KUBELET_GROUP, kubeletUser } from '@vireo/api/kinds/kubevirt/identities.ts';
import {
  type Client,
  cachedAccessReviews,
  cachedTokenReviews,
  KUBELET_SERVING_SIGNER,
  type Log,
  RotatingCertificate,
  requestCertificate,
  SERVING_USAGES,
} from '@vireo/kube';
import { followClientAuthority, type NodeListener, type RunningNode } from '@vireo/node';
import { nodeFiles } from './nodeFiles.ts';

const DNS_MS = 1_000;

export interface EndpointOptions {
  readonly home: string;
  readonly listener: NodeListener;
  readonly node: RunningNode;
  readonly address: string;
  readonly hostname?: string;
  /** As `system:node:NAME`. */
  readonly kubelet: Client;
  /** As `vireo:node:NAME`. */
  readonly client: Client;
  /** What Prometheus reads. */
  readonly metrics: () => Promise<string>;
  readonly log: Log;
}

/** Has a registered node answer over TLS, with a certificate for its addresses that the cluster signs. */
export async function serveNode(options: EndpointOptions, signal: AbortSignal): Promise<void> {
  const { home, listener, node, address, hostname, kubelet, client, log } = options;
  const ask = {
    namePrefix: 'vireo-serving-',
    signerName: KUBELET_SERVING_SIGNER,
    usages: SERVING_USAGES,
    commonName: kubeletUser(node.name),
    organizations: [KUBELET_GROUP],
    ipAddresses: [address],
    ...(hostname !== undefined && { dnsNames: [hostname] }),
  };
  const certificate = await RotatingCertificate.open(
    {
      directory: nodeFiles(home).pki,
      name: 'kubelet-serving',
      log,
      isWanted: (kept) =>
        kept.subject.split('\n').includes(`CN=${ask.commonName}`) &&
        kept.checkIP(address) !== undefined &&
        (hostname === undefined || kept.checkHost(hostname) !== undefined),
      issue: (stop) => requestCertificate(kubelet, ask, stop),
    },
    signal,
  );
  let clientCa: string | undefined;
  const trust = (): void => listener.trust(certificate.current(), clientCa);
  certificate.onChange(trust);
  await followClientAuthority(
    client,
    (caPem) => {
      clientCa = caPem;
      trust();
    },
    { log },
    signal,
  );
  trust();
  listener.serve({
    name: node.name,
    api: node.api,
    reviews: { token: cachedTokenReviews(client), access: cachedAccessReviews(client) },
    pods: () => node.pods(),
    metrics: options.metrics,
    problem: () => node.problem(),
  });
}

/** The host's name, where DNS leads from it to the address: an API server tries a name before an address. */
export async function resolvableName(name: string, address: string): Promise<string | undefined> {
  // A server that does not answer at once is none to rely on, and a node need not wait for it.
  const dns = new Resolver({ timeout: DNS_MS, tries: 1 });
  try {
    const found = isIPv6(address) ? await dns.resolve6(name) : await dns.resolve4(name);
    return found.includes(address) ? name : undefined;
  } catch {
    return undefined;
  }
}
