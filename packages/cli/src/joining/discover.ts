import { ConfigMap, isReason } from '@vireo/api';
import { Client, type HttpConfig, httpTransport } from '@vireo/kube';
import { type BootstrapToken, bootstrapTokenText } from '@vireo/kube/joining/bootstrapToken.ts';
import {
  authorityHash,
  CLUSTER_INFO,
  type ClusterInfo,
  certificatesOf,
  isSignedBy,
  KUBECONFIG_KEY,
  readClusterInfo,
  signatureKey,
} from '@vireo/kube/joining/clusterInfo.ts';
import { Failure } from '../failure.ts';

/** What whoever joins was told. */
export interface JoinLine {
  /** `HOST:PORT` of the server. */
  readonly address: string;
  readonly token: BootstrapToken;
  /** `sha256:…` of the server's authority; empty: the token alone tells whether it is the right one. */
  readonly caCertHashes: readonly string[];
}

const TIMEOUT_MS = 15_000;
const DEFAULT_PORT = 6443;

/** A server and its authority, which the token has signed and whose hash is right. */
export type DiscoveredServer = Pick<ClusterInfo, 'server' | 'caPem'>;

/**
 * Finds out which authority the server has, without trusting anybody on the way: what the server says is believed only
 * where the token has signed it and the authority has the hash that was given. Then the server must have that authority.
 */
export async function discover({ address, token, caCertHashes }: JoinLine): Promise<DiscoveredServer> {
  const given = serverUrl(address);
  const data = await readAnonymously(given, address);
  const info = verify(data, token, caCertHashes);
  for (const server of new Set([given, info.server])) {
    const problem = await serverProblem({ server, certificateAuthority: info.caPem });
    if (problem === undefined) return { server, caPem: info.caPem };
    // Its certificate may not name the address that was given, such as one of a port forwarding.
    if (server === info.server) throw new Failure(`the server at ${server} cannot be used: ${problem}`);
  }
  throw new Error('unreachable');
}

/** The server's words, if they can be believed. */
export function verify(
  data: Readonly<Record<string, string>>,
  token: BootstrapToken,
  caCertHashes: readonly string[],
): ClusterInfo {
  const kubeconfig = data[KUBECONFIG_KEY];
  const signature = data[signatureKey(token.id)];
  if (!kubeconfig || !signature)
    throw new Failure(
      `the server does not know the token ${token.id}: it is wrong, or has expired`,
      'Create another one on the first host: vireo token create',
    );
  if (!isSignedBy(kubeconfig, signature, token))
    throw new Failure(
      `what the server says of itself is not signed by the token ${token.id}: it is another server, or the token is wrong`,
      'Copy the whole line that `vireo token create` prints.',
    );
  const info = readClusterInfo(kubeconfig);
  const hashes = certificatesOf(info.caPem).map(authorityHash);
  const isPinned = caCertHashes.length === 0 || hashes.some((hash) => caCertHashes.includes(hash));
  if (!isPinned)
    throw new Failure(
      `the server's authority has the hash ${hashes.join(', ')}, not ${caCertHashes.join(', ')}`,
      'This is not the server that the line was made for. Do not join it.',
    );
  return info;
}

/** Over TLS with whomever: nothing of it is believed yet. */
async function readAnonymously(server: string, address: string): Promise<Readonly<Record<string, string>>> {
  const transport = httpTransport({ server, insecure: true, timeoutMs: TIMEOUT_MS });
  try {
    const { name, namespace } = CLUSTER_INFO;
    return (await new Client(transport).of(ConfigMap).get(name, { namespace })).data ?? {};
  } catch (error) {
    if (isReason(error, 'NotFound', 'Forbidden', 'Unauthorized'))
      throw new Failure(
        `the server at ${address} does not tell who it is: ${error.message}`,
        'Run `vireo token create` on that cluster first.',
      );
    throw new Failure(`the server at ${address} does not answer: ${error instanceof Error ? error.message : error}`);
  } finally {
    await transport.close();
  }
}

/** Why a server does not answer as it should; undefined where it does. */
async function serverProblem(config: HttpConfig): Promise<string | undefined> {
  const transport = httpTransport({ ...config, timeoutMs: TIMEOUT_MS });
  try {
    const { status } = await transport.call({ method: 'GET', path: '/version' });
    // Clusters may tell their version to nobody; that it was this server who said so is what counts.
    return [200, 401, 403].includes(status) ? undefined : `it answers with ${status}`;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  } finally {
    await transport.close();
  }
}

/** `HOST[:PORT]` as a URL. */
export function serverUrl(address: string): string {
  const text = /^https:\/\//.test(address) ? address : `https://${address}`;
  if (!URL.canParse(text) || /^http:/.test(address))
    throw new Failure(`${address} is not the address of a server`, 'Use HOST:PORT, such as 192.0.2.1:6443.');
  const url = new URL(text);
  const hasPort = /:\d+$/.test(text.replace(/\/$/, ''));
  return `https://${url.hostname}:${hasPort ? url.port || 443 : DEFAULT_PORT}`;
}

/** The line that joins a host. */
export const joinCommand = (command: string, { server, caPem }: DiscoveredServer, token: BootstrapToken): string => {
  const { host } = new URL(server);
  const [ca = ''] = certificatesOf(caPem);
  const port = new URL(server).port === '' ? ':443' : '';
  return `${command} join ${host}${port} --token ${bootstrapTokenText(token)} --ca-cert-hash ${authorityHash(ca)}`;
};
