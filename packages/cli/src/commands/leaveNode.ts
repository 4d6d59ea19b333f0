import { basename, join } from 'node:path';
import { conditionOf, Node } from '@vireo/api';
import { Client, httpTransport, loadKubeconfig, type Transport } from '@vireo/kube';
import { CertificateFiles } from '@vireo/kube/certificates/certificateFiles.ts';
import type { NodeEvacuation } from '@vireo/node';
import { IDENTITY_FILES } from '../joining/identity.ts';
import { nodeFiles } from '../joining/nodeFiles.ts';
import { readServer } from '../joining/nodeHome.ts';
import { localNodeHomes } from '../localNodes/plan.ts';
import type { JoinedNode, ServerRecord } from '../serverRecord.ts';
import { countOfVms, lateLine, notMovedLine } from './shutdownText.ts';

/** A server that does not answer keeps nobody from shutting a host down. */
const ANSWER_MS = 5_000;

export interface LeaveOptions {
  readonly timeoutMs?: number | undefined;
  readonly onProgress: NonNullable<NodeEvacuation['onProgress']>;
}

/** The nodes of a host, and what they are asked about by. */
interface HostSite {
  readonly nodes: readonly string[];
  readonly kubelet: Transport;
  readonly node: Transport;
}

/**
 * Has the VMs of a host of several move to the others, as their eviction strategies say, before it ends. What cannot
 * move, or not in time, shuts down with the host.
 */
export async function leaveHost(home: string, record: ServerRecord, options: LeaveOptions): Promise<void> {
  let site: HostSite | undefined;
  try {
    site = record.node ? await joinedSite(home, record.node) : await serverSite(home, record);
    if (!site) return;
    const { nodes } = site;
    const [kubelet, client] = [new Client(site.kubelet), new Client(site.node)];
    const { status } = await site.kubelet.call({
      method: 'GET',
      path: '/version',
      signal: AbortSignal.timeout(ANSWER_MS),
    });
    if (status !== 200) throw new Error(`the server answers ${status}`);
    const { evacuateNode } = await import('@vireo/node');
    // The server sees all nodes; one that has joined knows that it is not the only one.
    if (!record.node && !(await isOneOfSeveral(client, nodes))) return;
    const { moved, late } = await evacuateNode({
      nodes,
      kubelet,
      client,
      ...options,
      onFailure: (name, reason) => console.log(notMovedLine(name, reason)),
    });
    if (moved.length > 0) console.log(`Moved ${countOfVms(moved.length)} to other nodes.`);
    if (late.length > 0) console.log(lateLine(late));
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    console.log(`VMs are not moved to other nodes, because the cluster cannot be asked: ${reason}`);
  } finally {
    await Promise.all([...new Set([site?.kubelet, site?.node])].map((transport) => transport?.close()));
  }
}

/** Whether VMs could go anywhere else. */
async function isOneOfSeveral(client: Client, nodes: readonly string[]): Promise<boolean> {
  const { items } = await client.of(Node).list();
  return items.some(
    (node) =>
      !nodes.includes(node.metadata.name) && !node.spec?.unschedulable && conditionOf(node, 'Ready')?.status === 'True',
  );
}

/** The host of the server, with all nodes that the server has started on it. */
async function serverSite(home: string, { ownNode, port }: ServerRecord): Promise<HostSite | undefined> {
  if (ownNode === undefined || port === undefined) return undefined;
  const further = (await localNodeHomes(home)).map((each) => basename(each));
  const transport = httpTransport(await loadKubeconfig({ path: join(home, 'kubeconfig') }));
  return { nodes: [ownNode, ...further], kubelet: transport, node: transport };
}

/** As the node is known to its cluster; nothing where it has not joined. */
async function joinedSite(home: string, { name }: JoinedNode): Promise<HostSite | undefined> {
  const server = await readServer(home);
  const kept = await Promise.all(IDENTITY_FILES.map((file) => new CertificateFiles(nodeFiles(home).pki, file).read()));
  const [kubelet, node] = kept.map(
    (each) => each && { get: async () => ({ certificate: each.certPem, key: each.keyPem }), reject: () => {} },
  );
  if (!server || !kubelet || !node) return undefined;
  const config = { server: server.server, certificateAuthority: server.caPem };
  return {
    nodes: [name],
    kubelet: httpTransport({ ...config, credentials: kubelet }),
    node: httpTransport({ ...config, credentials: node }),
  };
}
