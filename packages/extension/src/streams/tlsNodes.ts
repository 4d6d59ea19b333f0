import { Duplex } from 'node:stream';
import tls from 'node:tls';
import type { Node } from '@vireo/api';
import { endpointOf, type NodeEndpoint, nodeCertificateProblem } from '@vireo/kube/serving/nodeEndpoint.ts';
import type { Dial, NodeConnections } from './nodeConnections.ts';

/** What connections to nodes take. */
export interface TlsNodes {
  readonly find: (name: string) => Node | undefined;
  /** The certificate that nodes are shown: PEM. Undefined: there is none yet. */
  readonly certificate: () => { readonly certPem: string; readonly keyPem: string } | undefined;
  /** PEM of who may have signed the certificates of nodes. */
  readonly authorities: () => readonly string[];
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
    checkServerIdentity: (_, shown) => nodeCertificateProblem(name, host, shown),
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

/** A connection that fails as soon as somebody uses it. */
function failed(error: Error): Duplex {
  const connection = new Duplex({ read: () => {}, write: (_chunk, _encoding, done) => done() });
  setImmediate(() => connection.destroy(error));
  return connection;
}
