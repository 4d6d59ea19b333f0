import { X509Certificate } from 'node:crypto';
import { isIP } from 'node:net';
import { Duplex } from 'node:stream';
import tls, { type PeerCertificate } from 'node:tls';
import type { Node } from '@vireo/api';
import { KUBELET_GROUP, kubeletUser } from '@vireo/api/kinds/kubevirt/identities.ts';
import type { Dial, NodeConnections } from './nodeConnections.ts';

/** What connections to nodes take. */
export interface TlsNodes {
  readonly find: (name: string) => Node | undefined;
  /** The certificate that nodes are shown: PEM. Undefined: there is none yet. */
  readonly certificate: () => { readonly certPem: string; readonly keyPem: string } | undefined;
  /** PEM of who may have signed the certificates of nodes. */
  readonly authorities: () => readonly string[];
}

/** Where a node listens. */
export interface NodeEndpoint {
  readonly host: string;
  readonly port: number;
}

/** Where a Node says that its agent listens; undefined: it does not say so. */
export function endpointOf({ status }: Node): NodeEndpoint | undefined {
  const host = status?.addresses?.find(({ type, address }) => type === 'InternalIP' && isIP(address) !== 0)?.address;
  const port = status?.daemonEndpoints?.kubeletEndpoint?.Port;
  return host && port ? { host, port } : undefined;
}

const CONNECT_MS = 10_000;
const PROBE_MS = 30_000;

/** Nodes elsewhere, by TLS with certificates on both sides. Nodes that do not say where they listen are not known. */
export const tlsNodes =
  ({ find, certificate, authorities }: TlsNodes): NodeConnections =>
  (name) => {
    const node = find(name);
    const endpoint = node && endpointOf(node);
    if (!endpoint) return undefined;
    const dial: Dial = () => {
      const own = certificate();
      if (!own) return failed(new Error(WITHOUT_CERTIFICATE));
      return connect(name, endpoint, own, authorities());
    };
    return dial;
  };

const WITHOUT_CERTIFICATE =
  'this instance of the extension has no client certificate yet; do the controllers run, which approve its request?';

function connect(
  name: string,
  { host, port }: NodeEndpoint,
  { certPem, keyPem }: { readonly certPem: string; readonly keyPem: string },
  authorities: readonly string[],
): Duplex {
  const socket = tls.connect({
    host,
    port,
    cert: certPem,
    key: keyPem,
    ca: [...authorities],
    minVersion: 'TLSv1.2',
    // Addresses are not sent as server names; the certificate is checked against the address all the same.
    servername: '',
    checkServerIdentity: (_, shown) => certificateProblem(name, host, shown),
  });
  socket.setKeepAlive(true, PROBE_MS);
  socket.setNoDelay(true);
  const late = setTimeout(() => socket.destroy(new Error(`no connection to ${host}:${port} in time`)), CONNECT_MS);
  socket.once('secureConnect', () => clearTimeout(late));
  socket.once('close', () => clearTimeout(late));
  // Before whoever uses the connection: they tell the message to users.
  socket.prependListener('error', (error: NodeJS.ErrnoException) => {
    if (CHAIN_PROBLEM.test(error.code ?? ''))
      error.message = `the certificate of ${host}:${port} is not signed by the cluster's authority, or not valid now: ${error.message}`;
  });
  return socket;
}

/** Node's codes for what is wrong with the chain of a certificate. */
const CHAIN_PROBLEM = /CERT|SIGNATURE|ISSUER|CHAIN|CRL|INVALID_CA|PURPOSE/;

/** Whoever has another node's certificate, or a certificate for another address, is not the node. */
export function certificateProblem(name: string, host: string, shown: PeerCertificate): Error | undefined {
  const { CN, O } = shown.subject ?? {};
  const [wanted, groups] = [kubeletUser(name), [O ?? []].flat()];
  if (CN !== wanted || !groups.includes(KUBELET_GROUP))
    return new Error(
      `the certificate at ${host} is for ${JSON.stringify(CN ?? '')} instead of ${JSON.stringify(wanted)}`,
    );
  if (new X509Certificate(shown.raw).checkIP(host) === undefined)
    return new Error(`the certificate of ${wanted} is not for the address ${host}, where its Node says that it is`);
  return undefined;
}

/** A connection that fails as soon as somebody uses it. */
function failed(error: Error): Duplex {
  const connection = new Duplex({ read: () => {}, write: (_chunk, _encoding, done) => done() });
  setImmediate(() => connection.destroy(error));
  return connection;
}
