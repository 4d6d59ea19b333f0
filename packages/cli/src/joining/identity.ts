import type { KeyObject } from 'node:crypto';
import { existsSync } from 'node:fs';
import { KUBELET_GROUP, kubeletUser, NODE_GROUP, nodeUser } from '@vireo/api/kinds/kubevirt/identities.ts';
import {
  CertificateRefusedError,
  CLIENT_SIGNER,
  CLIENT_USAGES,
  Client,
  type CredentialSource,
  type HttpConfig,
  httpTransport,
  KUBELET_CLIENT_SIGNER,
  type Log,
  loadKubeconfig,
  RotatingCertificate,
  requestCertificate,
  type Transport,
} from '@vireo/kube';
import { CertificateFiles } from '@vireo/kube/certificates/certificateFiles.ts';
import { Failure } from '../failure.ts';
import { nodeFiles } from './nodeFiles.ts';
import { forgetJoining, joiningKey } from './nodeHome.ts';

/** Who a node is to its server, twice. */
export interface NodeIdentity {
  /** As `system:node:NAME`. */
  readonly kubelet: Transport;
  /** As `vireo:node:NAME`. */
  readonly node: Transport;
  close(): Promise<void>;
}

/** Files of the two certificates, without `.crt` and `.key`. */
export const IDENTITY_FILES = ['kubelet-client', 'node-client'] as const;

export interface IdentityOptions {
  readonly home: string;
  readonly name: string;
  /** The server, without credentials. */
  readonly config: HttpConfig;
  /** Shown by a node that has no certificate; missing: the token of the home. */
  readonly bootstrap?: CredentialSource;
  readonly log: Log;
}

/**
 * Both identities of a node: certificates that are kept in the home, requested with a bootstrap token where there are
 * none, and renewed with themselves.
 */
export async function openIdentity(options: IdentityOptions, signal: AbortSignal): Promise<NodeIdentity> {
  const { home, name, config } = options;
  const transports: Transport[] = [];
  const connect = (credentials: CredentialSource): Transport => {
    const transport = httpTransport({ ...config, credentials });
    transports.push(transport);
    return transport;
  };
  try {
    if (options.bootstrap ?? (await tokenOf(home))) await discardRefused(options, signal);
    const kubelet = connect(
      await openCertificate(
        options,
        'kubelet-client',
        {
          namePrefix: 'vireo-kubelet-',
          signerName: KUBELET_CLIENT_SIGNER,
          usages: CLIENT_USAGES,
          commonName: kubeletUser(name),
          organizations: [KUBELET_GROUP],
        },
        signal,
      ),
    );
    const node = connect(
      await openCertificate(
        options,
        'node-client',
        {
          namePrefix: 'vireo-node-',
          signerName: CLIENT_SIGNER,
          usages: CLIENT_USAGES,
          commonName: nodeUser(name),
          organizations: [NODE_GROUP],
        },
        signal,
      ),
    );
    await forgetJoining(home);
    return { kubelet, node, close: () => closeAll(transports) };
  } catch (error) {
    await closeAll(transports);
    throw error;
  }
}

/** Whoever joins again after the node was deleted has certificates that look valid, and that the server refuses. */
async function discardRefused({ home, config }: IdentityOptions, signal: AbortSignal): Promise<void> {
  for (const name of IDENTITY_FILES) {
    const files = new CertificateFiles(nodeFiles(home).pki, name);
    const kept = await files.read();
    if (!kept) continue;
    const own = { certificate: kept.certPem, key: kept.keyPem };
    const transport = httpTransport({ ...config, credentials: { get: async () => own, reject: () => {} } });
    try {
      if ((await transport.call({ method: 'GET', path: '/version', signal })).status === 401) await files.remove();
    } catch {
      // A server that does not answer is waited for later.
      signal.throwIfAborted();
    } finally {
      await transport.close();
    }
  }
}

const closeAll = async (transports: readonly Transport[]): Promise<void> => {
  await Promise.all(transports.map((transport) => transport.close()));
};

/** A certificate of the home, renewed with itself while it is valid, else got with the token. */
async function openCertificate(
  options: IdentityOptions,
  file: string,
  ask: Parameters<typeof requestCertificate>[1],
  signal: AbortSignal,
): Promise<RotatingCertificate> {
  const { home, config, log, name } = options;
  const through = async (credentials: CredentialSource, stop: AbortSignal, key?: KeyObject) => {
    const transport = httpTransport({ ...config, credentials });
    try {
      return await requestCertificate(new Client(transport), { ...ask, ...(key && { key }) }, stop);
    } finally {
      await transport.close();
    }
  };
  return RotatingCertificate.open(
    {
      directory: nodeFiles(home).pki,
      name: file,
      log,
      isWanted: ({ subject }) => subject.split('\n').includes(`CN=${ask.commonName}`),
      issue: async (stop, current) => {
        if (current) {
          const own = { certificate: current.certPem, key: current.keyPem };
          return through({ get: async () => own, reject: () => {} }, stop);
        }
        const token = options.bootstrap ?? (await tokenOf(home));
        if (token)
          return through(token, stop, await joiningKey(home)).catch((error: unknown) => refusedJoin(error, name));
        throw new Failure(
          `the node ${name} has no valid certificate in ${nodeFiles(home).pki}, and no token to get one`,
          `Join again with a token from \`vireo token create --node ${name}\` on the first host.`,
        );
      },
    },
    signal,
  );
}

async function tokenOf(home: string): Promise<CredentialSource | undefined> {
  const { bootstrapKubeconfig: path } = nodeFiles(home);
  return existsSync(path) ? (await loadKubeconfig({ path })).credentials : undefined;
}

function refusedJoin(error: unknown, name: string): never {
  if (error instanceof CertificateRefusedError)
    throw new Failure(`this host cannot join as node ${name}: ${error.message}`);
  throw error;
}
