import { ConfigMap, isDeleting, type KubeObject, type Persisted } from '@vireo/api';
import {
  type Client,
  Informers,
  ignoreNotFound,
  type ResourceRef,
  runController,
  runWhileLeader,
  type Term,
} from '@vireo/kube';
import { addressOf } from './kinds.ts';

const FINALIZER = 'net.example.com/release';

type Gateway = Persisted<KubeObject & { spec: object; status?: { reserved?: string } }>;

/** Where a replica of the operator runs, and as who. */
export interface OperatorOptions {
  readonly client: Client;
  readonly namespace: string;
  readonly identity: string;
  /** The kind in the version that this release works with. */
  readonly kind: ResourceRef;
  readonly onLead?: () => void;
}

/** Runs a replica of the operator until `signal` aborts; it reconciles while it leads. */
export function runOperator(options: OperatorOptions, signal: AbortSignal): Promise<void> {
  const { client, namespace, identity, kind, onLead } = options;
  const times = { leaseDurationMs: 4000, renewDeadlineMs: 3000, retryPeriodMs: 100 };
  const election = { client, namespace, name: 'gateways', identity, ...times };
  const lead = async ({ signal: term }: Term): Promise<void> => {
    onLead?.();
    const informers = new Informers(client);
    const gateways = informers.for<Gateway>(kind);
    informers.start(term);
    const reconcile = async (key: string): Promise<void> => {
      const gateway = gateways.get(key);
      if (gateway) await reconcileGateway(client, kind, gateway as Gateway);
    };
    await runController({ name: 'gateways', for: gateways, reconcile }, {}, term);
  };
  return runWhileLeader(election, lead, signal);
}

/** An address is reserved by a ConfigMap of its own, which outlives nothing: the finalizer waits until it is released. */
async function reconcileGateway(client: Client, kind: ResourceRef, gateway: Gateway): Promise<void> {
  const gateways = client.of<Gateway>(kind);
  const { name, namespace = '', finalizers = [] } = gateway.metadata;
  const reservation = `reserved-${name}`;
  if (isDeleting(gateway)) {
    await client.of(ConfigMap).delete(reservation, { namespace }).catch(ignoreNotFound);
    await gateways.removeFinalizer(gateway, FINALIZER);
    return;
  }
  if (!finalizers.includes(FINALIZER)) {
    await gateways.patchIfUnchanged(gateway, { metadata: { finalizers: [...finalizers, FINALIZER] } });
    return;
  }
  const address = addressOf(gateway);
  await client.of(ConfigMap).createOrGet({ metadata: { name: reservation, namespace } });
  await client.of(ConfigMap).patch(reservation, { data: { address } }, { namespace, type: 'merge' });
  await gateways.writeStatus(gateway, { reserved: address });
}
