import { CertificateSigningRequest, ConfigMap, isReason, Lease, Node, type Persisted } from '@vireo/api';
import {
  AGENT_VERSION_SUFFIX,
  deletedNodeRecord,
  kubeletUser,
  nodeUser,
} from '@vireo/api/kinds/kubevirt/identities.ts';
import { type Client, ignoreNotFound } from '@vireo/kube';
import { parseCertificateRequest } from '@vireo/kube/certificates/parse.ts';
import { Failure } from '../../failure.ts';
import { programName } from '../../programName.ts';
import { connected } from '../vms/connection.ts';
import type { ConnectionOptions } from '../vms/connectionOptions.ts';
import { orFail } from '../vms/refusal.ts';
import { waitFor } from '../vms/waitFor.ts';
import { declareOff, isReady, LEASES, namesOf, notFound, vmisMovingTo, vmisOn } from './fence.ts';
import { listed } from './fenceText.ts';

export interface DeleteNodeOptions extends ConnectionOptions {
  /** The host is powered off: its VMs are failed first. */
  readonly force?: boolean;
  readonly yes?: boolean;
  readonly timeout: number;
}

const POLL_MS = 1_000;
/** An agent renews its lease every ten seconds. */
const RENEWAL_MS = 12_000;

/** Deletes a node that runs no VMs and whose agent has stopped, with its Lease, and revokes its certificates. */
export function deleteNode(name: string, options: DeleteNodeOptions): Promise<void> {
  return connected(options, (connection) =>
    orFail(
      connection,
      (why) => `the node ${name} cannot be deleted: ${why}`,
      () => remove(name, options, connection.client),
    ),
  );
}

async function remove(name: string, options: DeleteNodeOptions, client: Client): Promise<void> {
  const node = await client.of(Node).find(name);
  if (node) await cordon(node, client);
  if (options.force) await declareOff(name, options, client);
  const vmis = namesOf(await vmisOn(name, client));
  if (vmis.length > 0) throw hasVms(name, vmis, node !== undefined);
  const arriving = namesOf(await vmisMovingTo(name, client));
  if (arriving.length > 0) throw awaitsVms(name, arriving);
  if (!node && !options.force) throw notFound(name);
  await refuseWhileReporting(name, client);
  await revoke(name, client);
  if (node) await client.of(Node).deleteExactly(node).catch(ignoreNotFound);
  await client.of(Lease).delete(name, { namespace: LEASES }).catch(ignoreNotFound);
  await forgetRequests(name, client);
  console.log(
    `Deleted the node ${name}. Its host can join again with the line that this prints: ${programName} token create`,
  );
}

/** No VM may come while the node is deleted. */
async function cordon(node: Persisted<Node>, client: Client): Promise<void> {
  const { name } = node.metadata;
  const version = node.status?.nodeInfo?.kubeletVersion;
  if (version && !version.endsWith(AGENT_VERSION_SUFFIX))
    throw new Failure(`the node ${name} is a kubelet’s`, `To delete it nevertheless: kubectl delete node ${name}`);
  if (!node.spec?.unschedulable)
    await client.of(Node).patch(name, { spec: { unschedulable: true } }, { type: 'merge' });
}

const hasVms = (name: string, vmis: readonly string[], isThere: boolean): Failure =>
  new Failure(
    `these VMs are on node ${name}:\n${listed(vmis)}`,
    isThere
      ? `The node is cordoned now. Stop the VMs, or move them: kubectl drain ${name}. If the host is powered off: ` +
          `${programName} node delete ${name} --force. To keep the node: kubectl uncordon ${name}`
      : `The Node was deleted before. If the host is powered off: ${programName} node fence ${name}`,
  );

const awaitsVms = (name: string, vmis: readonly string[]): Failure =>
  new Failure(
    `these VMs are moving to node ${name}:\n${listed(vmis)}`,
    `Try again when their migrations have ended. If the host is powered off: ${programName} node fence ${name}`,
  );

/** An agent that runs would create its Node again. */
async function refuseWhileReporting(name: string, client: Client): Promise<void> {
  const found = await client.of(Node).find(name);
  if (!found || !isReady(found)) return;
  const renewal = async () => (await client.of(Lease).find(name, { namespace: LEASES }))?.spec?.renewTime;
  const before = await renewal();
  console.log(`Checking that the agent of node ${name} has stopped …`);
  const reports = await waitFor(async () => ((await renewal()) === before ? undefined : true), {
    timeoutMs: RENEWAL_MS,
    intervalMs: POLL_MS,
  });
  if (reports)
    throw new Failure(
      `the agent of node ${name} is running, and would create the Node again`,
      `Stop it on that host, with ${programName} down. To keep the node: kubectl uncordon ${name}`,
    );
}

/** From now on, the embedded server accepts no certificate that the node has; by the time of the server itself. */
async function revoke(name: string, client: Client): Promise<void> {
  const metadata = deletedNodeRecord(name);
  const { namespace } = metadata;
  const maps = client.of(ConfigMap);
  await maps.delete(metadata.name, { namespace }).catch(ignoreNotFound);
  await maps.create({ metadata, data: { node: name } }).catch((error: unknown) => {
    if (!isReason(error, 'AlreadyExists')) throw error;
  });
}

/** Requests tell for an hour that the name is a host's, by which another one could not join under it. */
async function forgetRequests(name: string, client: Client): Promise<void> {
  const requests = client.of(CertificateSigningRequest);
  for (const request of (await requests.list()).items)
    if (isOf(name, request)) await requests.deleteExactly(request).catch(ignoreNotFound);
}

function isOf(name: string, { spec }: CertificateSigningRequest): boolean {
  try {
    return [kubeletUser(name), nodeUser(name)].includes(parseCertificateRequest(spec.request).commonName);
  } catch {
    // None of a node's.
    return false;
  }
}
