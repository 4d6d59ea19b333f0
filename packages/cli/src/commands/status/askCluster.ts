import { EndpointSlice, Lease, Node } from '@vireo/api';
import { KubeVirt } from '@vireo/api/kinds/kubevirt/kubeVirt.ts';
import { KUBEVIRT_NAME, KUBEVIRT_NAMESPACE } from '@vireo/api/kinds/kubevirt/names.ts';
import { Vm } from '@vireo/api/kinds/kubevirt/vm.ts';
import { Vmi } from '@vireo/api/kinds/kubevirt/vmi.ts';
import { Client, type HttpConfig, httpTransport, ignoreNotFound } from '@vireo/kube';
import { countVms, failedChecks, type NodeState, nodeState, type VmCount } from '../../readiness.ts';
import { type CertificateStatus, certificateIn, shownCertificate } from './certificates.ts';
import { type ClusterFacts, type NodeStatus, nodesOf, problemsOf, type RoleStatus, rolesOf } from './cluster.ts';
import { findMissingGuards } from './missingGuards.ts';

/** What a server knows of an installation. */
export interface ClusterStatus {
  readonly server: { readonly url: string; readonly version?: string };
  /** Why the installation does not do its work; empty while it does. */
  readonly problems: readonly string[];
  readonly roles: readonly RoleStatus[];
  readonly nodes: readonly NodeStatus[];
  readonly certificates: readonly CertificateStatus[];
  readonly vms: VmCount;
}

/** The same, with what of a server's own process is told apart. */
export interface ServerAnswer extends ClusterStatus {
  /** Why the server is not ready; empty when it is. */
  readonly serverProblems: readonly string[];
  readonly node?: NodeState;
}

const TIMEOUT_MS = 5_000;

/**
 * Asks the server that a kubeconfig leads to about all parts of an installation. Rejects where it does not answer.
 * `ownNode`: the node that the server itself is.
 */
export async function askCluster(config: HttpConfig, ownNode?: string): Promise<ServerAnswer> {
  const client = new Client(httpTransport({ ...config, timeoutMs: TIMEOUT_MS }));
  try {
    const [{ body, headers }, ready] = await Promise.all([
      client.transport.call({ method: 'GET', path: '/version' }),
      client.transport.call({ method: 'GET', path: '/readyz', query: { verbose: true } }),
    ]);
    const version = (body as { gitVersion?: string }).gitVersion;
    const { vms, ...facts } = await readFacts(client, Date.parse(headers.date ?? '') || Date.now());
    const [roles, nodes] = [rolesOf(facts), nodesOf(facts)];
    const own = facts.nodes.find(({ metadata }) => metadata.name === ownNode);
    const node = own && nodeState(own);
    const serverProblems = ready.status === 200 ? [] : failedChecks(String(ready.body));
    return {
      server: { url: config.server, ...(version && { version }) },
      serverProblems,
      problems: [...serverProblems, ...problemsOf(facts, roles, nodes)],
      roles,
      nodes,
      certificates: await readCertificates(config, roles, nodes),
      vms,
      ...(node && { node }),
    };
  } finally {
    await client.close();
  }
}

async function readFacts(client: Client, nowMs: number): Promise<ClusterFacts & { readonly vms: VmCount }> {
  const at = { namespace: KUBEVIRT_NAMESPACE };
  // Kinds that are not installed are as good as empty.
  const none = { items: [] };
  const [kubevirt, leases, slices, nodes, vms, vmis, missingGuards] = await Promise.all([
    client.of(KubeVirt).find(KUBEVIRT_NAME, at),
    client.of(Lease).list(at),
    client.of(EndpointSlice).list(at).catch(ignoreNotFound),
    client.of(Node).list(),
    client.of(Vm).list().catch(ignoreNotFound),
    client.of(Vmi).list().catch(ignoreNotFound),
    findMissingGuards(client),
  ]);
  return {
    kubevirt,
    leases: leases.items,
    slices: (slices ?? none).items,
    nodes: nodes.items,
    vmis: (vmis ?? none).items,
    missingGuards,
    nowMs,
    vms: countVms((vms ?? none).items, (vmis ?? none).items),
  };
}

async function readCertificates(
  config: HttpConfig,
  roles: readonly RoleStatus[],
  nodes: readonly NodeStatus[],
): Promise<CertificateStatus[]> {
  const { certificate } = (await config.credentials?.get().catch(() => undefined)) ?? {};
  const listening = [
    { of: 'server', address: new URL(config.server).host },
    ...roles.map(({ role, instance, address }) => ({ of: `${role} ${instance}`, address })),
    ...nodes.map(({ name, address }) => ({ of: `node ${name}`, address })),
  ];
  const shown = listening.flatMap(({ of, address }) => (address ? [shownCertificate(of, address)] : []));
  return [...(certificate ? [certificateIn('kubeconfig', String(certificate))] : []), ...(await Promise.all(shown))];
}
