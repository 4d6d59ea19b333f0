import { Lease, Node } from '@vireo/api';
import { CORDONED_FOR_SHUTDOWN_ANNOTATION } from '@vireo/api/kinds/kubevirt/eviction.ts';
import { STOP_PROMISE_ANNOTATION } from '@vireo/api/kinds/kubevirt/fencing.ts';
import { HEARTBEAT_ANNOTATION } from '@vireo/api/kinds/kubevirt/names.ts';
import { type Client, type Clock, ignoreNotFound, type Log, pause } from '@vireo/kube';
import { bootTimeMs } from '../fencing/bootTime.ts';
import type { Fence } from '../fencing/fence.ts';
import { creationPatch, freeStorage, metadataPatch, type NodeFacts, statusOf } from './nodeObject.ts';
import { otherHostProblem } from './otherHost.ts';
import { type HealthSource, type Refusal, schedulable } from './readiness.ts';

const LEASES = 'kube-node-lease';
const LEASE_SECONDS = 40;
const LEASE_MS = 10_000;
const HEARTBEAT_MS = 60_000;
const RENEWAL_TIMEOUT_MS = 10_000;

/**
 * Makes the node known to the server, or brings what the server has up to date. Rejects where the Node is another host's.
 * The node in the process of its server needs no such proof: it is the host that has the server's data.
 */
export async function registerNode(client: Client, facts: NodeFacts, now: Date): Promise<Node> {
  const { name } = facts.host;
  const nodes = client.of(Node);
  const before = await nodes.find(name);
  const problem = facts.endpoint && otherHostProblem(before, facts.host);
  if (problem) throw problem;
  const metadata = metadataPatch(facts, before, now);
  if (before) await nodes.patch(name, comeBack(before, metadata), { type: 'merge' });
  else {
    const { labels, ...rest } = creationPatch(facts);
    await nodes.create({ metadata: { ...metadata, labels: { ...metadata.labels, ...labels }, name }, ...rest });
  }
  return nodes.patchStatus(name, { status: statusOf(facts, before, now) }, { type: 'merge' });
}

/** A node that was cordoned because its host was shutting down takes guests again. */
function comeBack({ metadata: { annotations }, spec }: Node, metadata: ReturnType<typeof metadataPatch>): object {
  if (annotations?.[CORDONED_FOR_SHUTDOWN_ANNOTATION] === undefined) return { metadata };
  return {
    metadata: { ...metadata, annotations: { ...metadata.annotations, [CORDONED_FOR_SHUTDOWN_ANNOTATION]: null } },
    ...(spec?.unschedulable && { spec: { unschedulable: null } }),
  };
}

/**
 * Renews the node's lease and heartbeat until `signal` aborts. One that does not reach the server is logged. After a
 * silence the node first sees to it that it runs nothing that it may not.
 */
export async function keepHeartbeat(
  client: Client,
  name: string,
  health: HealthSource,
  { clock, log, fence, refusal }: { clock: Clock; log: Log; fence?: Fence; refusal?: Refusal },
  signal: AbortSignal,
): Promise<void> {
  const beat = async (work: () => Promise<unknown>): Promise<void> => {
    const refused = refusal?.();
    await (refused ? Promise.reject(refused) : work()).catch((error: unknown) => {
      if (!signal.aborted) log.warn('cannot renew the lease of the node', { kind: Node.kind, name }, { error });
    });
  };
  const metadata = () => ({
    // The server's controllers close a node that was silent; being back opens it.
    labels: schedulable(health.problem()),
    annotations: { [HEARTBEAT_ANNOTATION]: new Date(clock.now()).toISOString(), ...freeStorage(health.disk?.()) },
  });
  let annotatedAtMs = clock.now();
  let renewedAtMs = clock.now();
  const renew = async (): Promise<void> => {
    if (clock.now() - renewedAtMs > LEASE_SECONDS * 1000) await fence?.settle();
    const promise = await fence?.promise();
    const sentAtMs = fence ? bootTimeMs() : 0;
    await renewLease(client, name, new Date(clock.now()), promise);
    renewedAtMs = clock.now();
    fence?.acknowledged(sentAtMs, promise);
  };
  while (!signal.aborted) {
    await beat(renew);
    if (clock.now() - annotatedAtMs >= HEARTBEAT_MS) {
      annotatedAtMs = clock.now();
      await beat(() => client.of(Node).patch(name, { metadata: metadata() }, { type: 'merge' }));
    }
    await pause(LEASE_MS, signal, clock);
  }
}

/** `promise`: after how many seconds the node's guests end, unless there is another renewal. */
async function renewLease(client: Client, name: string, now: Date, promise: number | undefined): Promise<void> {
  const leases = client.of(Lease);
  const renewTime = now.toISOString().replace('Z', '000Z');
  const spec = { holderIdentity: name, leaseDurationSeconds: LEASE_SECONDS, renewTime };
  const annotations = { [STOP_PROMISE_ANNOTATION]: promise === undefined ? null : String(promise) };
  // A connection that has died silently must not hold up the next renewal for long.
  const signal = AbortSignal.timeout(RENEWAL_TIMEOUT_MS);
  const patch = { metadata: { annotations }, spec };
  const renewed = await leases.patch(name, patch, { namespace: LEASES, type: 'merge', signal }).catch(ignoreNotFound);
  const promised = promise === undefined ? {} : { annotations: { [STOP_PROMISE_ANNOTATION]: String(promise) } };
  if (!renewed) await leases.create({ metadata: { name, namespace: LEASES, ...promised }, spec }, { signal });
}
