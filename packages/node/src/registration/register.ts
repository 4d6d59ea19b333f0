import { Lease, Node } from '@vireo/api';
import { HEARTBEAT_ANNOTATION } from '@vireo/api/kinds/kubevirt/names.ts';
import { type Client, type Clock, ignoreNotFound, type Log, pause } from '@vireo/kube';
import { freeStorage, metadataPatch, type NodeFacts, statusOf } from './nodeObject.ts';
import { type HealthSource, schedulable } from './readiness.ts';

const LEASES = 'kube-node-lease';
const LEASE_SECONDS = 40;
const LEASE_MS = 10_000;
const HEARTBEAT_MS = 60_000;

/** Makes the node known to the server, or brings what the server has up to date. */
export async function registerNode(client: Client, facts: NodeFacts, now: Date): Promise<Node> {
  const { name } = facts.host;
  const nodes = client.of(Node);
  const before = await nodes.find(name);
  const metadata = metadataPatch(facts, before, now);
  if (before) await nodes.patch(name, { metadata }, { type: 'merge' });
  else await nodes.create({ metadata: { ...metadata, name } });
  return nodes.patchStatus(name, { status: statusOf(facts, before, now) }, { type: 'merge' });
}

/** Renews the node's lease and heartbeat until `signal` aborts. One that does not reach the server is logged. */
export async function keepHeartbeat(
  client: Client,
  name: string,
  health: HealthSource,
  { clock, log }: { clock: Clock; log: Log },
  signal: AbortSignal,
): Promise<void> {
  const beat = async (work: () => Promise<unknown>): Promise<void> => {
    await work().catch((error: unknown) => {
      if (!signal.aborted) log.warn('cannot renew the lease of the node', { kind: Node.kind, name }, { error });
    });
  };
  const metadata = () => ({
    // The server's controllers close a node that was silent; being back opens it.
    labels: schedulable(health.problem()),
    annotations: { [HEARTBEAT_ANNOTATION]: new Date(clock.now()).toISOString(), ...freeStorage(health.disk?.()) },
  });
  let annotatedAtMs = clock.now();
  while (!signal.aborted) {
    await beat(() => renewLease(client, name, new Date(clock.now())));
    if (clock.now() - annotatedAtMs >= HEARTBEAT_MS) {
      annotatedAtMs = clock.now();
      await beat(() => client.of(Node).patch(name, { metadata: metadata() }, { type: 'merge' }));
    }
    await pause(LEASE_MS, signal, clock);
  }
}

async function renewLease(client: Client, name: string, now: Date): Promise<void> {
  const leases = client.of(Lease);
  const renewTime = now.toISOString().replace('Z', '000Z');
  const spec = { holderIdentity: name, leaseDurationSeconds: LEASE_SECONDS, renewTime };
  const renewed = await leases.patch(name, { spec }, { namespace: LEASES, type: 'merge' }).catch(ignoreNotFound);
  if (!renewed) await leases.create({ metadata: { name, namespace: LEASES }, spec });
}
