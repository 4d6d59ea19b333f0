import { Client, httpTransport, type Transport } from '@vireo/kube';
import { CertificateFiles } from '@vireo/kube/certificates/certificateFiles.ts';
import type { NodeEvacuation } from '@vireo/node';
import { IDENTITY_FILES } from '../joining/identity.ts';
import { nodeFiles } from '../joining/nodeFiles.ts';
import { readServer } from '../joining/nodeHome.ts';
import type { JoinedNode } from '../serverRecord.ts';
import { countOfVms } from './shutdownText.ts';

/** A server that does not answer keeps nobody from shutting a host down. */
const ANSWER_MS = 5_000;

export interface LeaveOptions {
  readonly timeoutMs?: number | undefined;
  readonly onProgress: NonNullable<NodeEvacuation['onProgress']>;
}

/**
 * Has the VMs of a node of several move to the others, as their eviction strategies say, before its host ends. What
 * cannot move, or not in time, shuts down with the host.
 */
export async function leaveNode(home: string, { name }: JoinedNode, options: LeaveOptions): Promise<void> {
  const transports = await connect(home);
  if (!transports) return;
  const [kubelet, client] = transports.map((transport) => new Client(transport));
  try {
    if (!kubelet || !client) return;
    const { status } = await transports[0].call({
      method: 'GET',
      path: '/version',
      signal: AbortSignal.timeout(ANSWER_MS),
    });
    if (status !== 200) throw new Error(`the server answers ${status}`);
    const { evacuateNode } = await import('@vireo/node');
    const moved = await evacuateNode({ node: name, kubelet, client, ...options });
    if (moved.length > 0) console.log(`Moved ${countOfVms(moved.length)} to other nodes.`);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    console.log(`VMs are not moved to other nodes, because the cluster cannot be asked: ${reason}`);
  } finally {
    await Promise.all(transports.map((transport) => transport.close()));
  }
}

/** As the node is known to its cluster; nothing where it has not joined. */
async function connect(home: string): Promise<readonly [Transport, Transport] | undefined> {
  const server = await readServer(home);
  const kept = await Promise.all(IDENTITY_FILES.map((file) => new CertificateFiles(nodeFiles(home).pki, file).read()));
  const [kubelet, node] = kept.map(
    (each) => each && { get: async () => ({ certificate: each.certPem, key: each.keyPem }), reject: () => {} },
  );
  if (!server || !kubelet || !node) return undefined;
  const config = { server: server.server, certificateAuthority: server.caPem };
  return [httpTransport({ ...config, credentials: kubelet }), httpTransport({ ...config, credentials: node })];
}
