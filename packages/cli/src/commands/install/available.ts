import {
  APIService,
  conditionOf,
  isConditionTrue,
  type Kind,
  type KubeObject,
  Lease,
  MutatingWebhookConfiguration,
  Node,
  type Persisted,
  ValidatingWebhookConfiguration,
} from '@vireo/api';
import { KubeVirt } from '@vireo/api/kinds/kubevirt/kubeVirt.ts';
import { KUBEVIRT_NAME, KUBEVIRT_NAMESPACE } from '@vireo/api/kinds/kubevirt/names.ts';
import { type Client, type Informer, Informers } from '@vireo/kube';
import { formatDuration } from '../../duration.ts';
import { Failure, TIMED_OUT } from '../../failure.ts';
import { nodesOf, rolesOf } from '../status/cluster.ts';

/** How each role is started. */
export const START = {
  controllers: 'vireo controllers --kubeconfig FILE',
  extension: 'vireo extension --kubeconfig FILE',
  node: 'vireo node --kubeconfig FILE',
};

type WebhookConfiguration = MutatingWebhookConfiguration | ValidatingWebhookConfiguration;

/** What tells whether the roles of an installation do their work. */
export interface Observed {
  readonly kubevirt: Persisted<KubeVirt> | undefined;
  readonly leases: readonly Persisted<Lease>[];
  readonly nodes: readonly Persisted<Node>[];
  /** Those that lead to the extension, where they exist. */
  readonly apiServices: readonly { readonly name: string; readonly found: Persisted<APIService> | undefined }[];
  /** Those of the extension, where they exist. */
  readonly webhooks: readonly { readonly name: string; readonly found: Persisted<WebhookConfiguration> | undefined }[];
  readonly nowMs: number;
}

/** What is missing until VMs can run, and how to start it; or, if nothing is, a summary. */
export function availabilityOf(observed: Observed): { readonly missing: string[]; readonly summary: string } {
  const { kubevirt, apiServices, webhooks } = observed;
  const facts = { ...observed, slices: [], vmis: [], missingGuards: [] };
  const alive = rolesOf(facts).filter(({ alive }) => alive);
  const leader = alive.find(({ leads }) => leads);
  const extensions = alive.filter(({ role }) => role === 'extension');
  const ready = nodesOf(facts).filter((node) => node.ready);
  const unserved = apiServices.find(({ found }) => !isConditionTrue(found ?? {}, 'Available'));
  const untrusted = webhooks.find(({ found }) => !found?.webhooks?.every(({ clientConfig }) => clientConfig.caBundle));
  const missing = [
    ...(leader ? [] : [`no controllers lead: ${START.controllers}`]),
    ...(unserved
      ? [
          `no extension serves APIService ${unserved.name}${because(conditionOf(unserved.found, 'Available'))}: ${START.extension}`,
        ]
      : []),
    ...(untrusted && !unserved ? [`no extension has set the caBundles of ${untrusted.name}: ${START.extension}`] : []),
    ...(ready.length > 0 ? [] : [`no node is ready: ${START.node}`]),
  ];
  if (missing.length === 0 && !isConditionTrue(kubevirt ?? {}, 'Available'))
    missing.push(
      `KubeVirt ${KUBEVIRT_NAMESPACE}/${KUBEVIRT_NAME} is not Available${because(conditionOf(kubevirt, 'Available'))}`,
    );
  const names = (parts: readonly string[]): string => parts.join(', ');
  return {
    missing,
    summary:
      `VMs can run: controllers ${leader?.instance}, extension ${names(extensions.map(({ instance }) => instance))}, ` +
      `${ready.length === 1 ? 'node' : 'nodes'} ${names(ready.map(({ name }) => name))}.`,
  };
}

/** Why the server says that it is not available, if it does. */
function because({ message }: { readonly message?: string | undefined } = {}): string {
  return message ? ` (${message.replace(/\.$/, '')})` : '';
}

/** Resolves with a summary when the roles do their work; rejects with what is missing when time is up. */
export async function waitUntilAvailable(
  client: Client,
  asking: readonly KubeObject[],
  timeoutMs: number,
): Promise<string> {
  const stop = new AbortController();
  const informers = new Informers(client);
  const inNamespace = { namespace: KUBEVIRT_NAMESPACE };
  const [services, kubevirts] = [informers.for(APIService), informers.for(KubeVirt, inNamespace)];
  const [leases, nodes] = [informers.for(Lease, inNamespace), informers.for(Node)];
  const mutating = informers.for(MutatingWebhookConfiguration);
  const validating = informers.for(ValidatingWebhookConfiguration);
  const found = <T extends KubeObject>({ kind }: Kind<T>, informer: Informer<T>) =>
    asking
      .filter((each) => each.kind === kind)
      .map(({ metadata: { name = '' } }) => ({ name, found: informer.get(name) }));
  const aheadMs = await aheadOfThisHost(client);
  const look = () =>
    availabilityOf({
      kubevirt: kubevirts.get(`${KUBEVIRT_NAMESPACE}/${KUBEVIRT_NAME}`),
      leases: leases.list(),
      nodes: nodes.list(),
      apiServices: found(APIService, services),
      webhooks: [
        ...found(MutatingWebhookConfiguration, mutating),
        ...found(ValidatingWebhookConfiguration, validating),
      ],
      nowMs: Date.now() + aheadMs,
    });
  const { promise, resolve } = Promise.withResolvers<void>();
  // Leases are renewed every few seconds, so that this is asked often enough for them as well.
  const changed = () => look().missing.length === 0 && resolve();
  for (const informer of [services, kubevirts, leases, nodes, mutating, validating])
    informer.on({ added: changed, updated: changed });
  informers.start(stop.signal);
  const timer = setTimeout(resolve, timeoutMs);
  try {
    await promise;
    const { missing, summary } = look();
    if (missing.length === 0) return summary;
    const lines = missing.map((each) => `\n  - ${each}`).join('');
    throw new Failure(`not available after ${formatDuration(timeoutMs)}:${lines}`, undefined, { exitCode: TIMED_OUT });
  } finally {
    clearTimeout(timer);
    stop.abort();
  }
}

/** How far the server's clock, by which Leases are renewed, is ahead of this one, in milliseconds. */
async function aheadOfThisHost(client: Client): Promise<number> {
  const { headers } = await client.transport.call({ method: 'GET', path: '/version' });
  return (Date.parse(headers.date ?? '') || Date.now()) - Date.now();
}
