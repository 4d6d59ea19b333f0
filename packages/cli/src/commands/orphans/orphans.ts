import { conditionOf, Node, type Persisted } from '@vireo/api';
import { KubeVirt } from '@vireo/api/kinds/kubevirt/kubeVirt.ts';
import { KUBEVIRT_NAME, KUBEVIRT_NAMESPACE } from '@vireo/api/kinds/kubevirt/names.ts';
import {
  heldStartsReason,
  orphanedGuests,
  RESTORE_CONFIRMED_ANNOTATION,
  RESTORED_ANNOTATION,
  STOP_ORPHANS_ANNOTATION,
} from '@vireo/api/kinds/kubevirt/restored.ts';
import type { Client } from '@vireo/kube';
import { Failure } from '../../failure.ts';
import { connected } from '../vms/connection.ts';
import type { ConnectionOptions } from '../vms/connectionOptions.ts';
import { orFail } from '../vms/refusal.ts';
import { type OrphanLine, orphansText } from './text.ts';

export interface OrphansOptions extends ConnectionOptions {
  readonly stop?: readonly string[];
  readonly confirm?: boolean;
}

/** Lists the guests that a restored server does not know, stops some, or lets VMs start again. */
export function orphans(options: OrphansOptions): Promise<void> {
  return connected(options, (connection) =>
    orFail(
      connection,
      (why) => `orphaned guests cannot be looked up: ${why}`,
      () => run(options, connection.client),
    ),
  );
}

async function run({ stop = [], confirm = false }: OrphansOptions, client: Client): Promise<void> {
  const nodes = (await client.of(Node).list()).items;
  const settings = await client.of(KubeVirt).find(KUBEVIRT_NAME, { namespace: KUBEVIRT_NAMESPACE });
  const lines = nodes.flatMap((node) => orphanedGuests(node).map((guest) => ({ node: node.metadata.name, ...guest })));
  for (const wanted of stop) await stopGuest(wanted, lines, nodes, client);
  if (confirm) return confirmRestore(settings, client);
  if (stop.length > 0) return;
  const isSilent = (node: Node): boolean => conditionOf(node, 'Ready')?.status !== 'True';
  const silent = nodes.filter(isSilent).map(({ metadata }) => metadata.name);
  console.log(orphansText(lines, silent, settings && heldStartsReason(settings)));
}

async function stopGuest(
  wanted: string,
  lines: readonly OrphanLine[],
  nodes: readonly Persisted<Node>[],
  client: Client,
): Promise<void> {
  const found = lines.filter(({ node, key }) => wanted === key || wanted === `${node}/${key}`);
  const [guest] = found;
  if (!guest || found.length > 1)
    throw new Failure(
      guest ? `${wanted} runs on several nodes` : `there is no orphaned guest ${wanted}`,
      guest ? 'Name the node, too: NODE/NAMESPACE/NAME' : 'To list them: vireo orphans',
    );
  const node = nodes.find(({ metadata }) => metadata.name === guest.node);
  const before = node?.metadata.annotations?.[STOP_ORPHANS_ANNOTATION]?.split(',') ?? [];
  const uids = [...new Set([...before, guest.uid])].join(',');
  const patch = { metadata: { annotations: { [STOP_ORPHANS_ANNOTATION]: uids } } };
  await client.of(Node).patch(guest.node, patch, { type: 'merge' });
  console.log(`Node ${guest.node} shuts down ${guest.key}, and powers it off after a minute.`);
}

async function confirmRestore(settings: Persisted<KubeVirt> | undefined, client: Client): Promise<void> {
  const restored = settings?.metadata.annotations?.[RESTORED_ANNOTATION];
  if (!settings || restored === undefined || heldStartsReason(settings) === undefined)
    return console.log('VMs start already: there is nothing to confirm.');
  const patch = { metadata: { annotations: { [RESTORE_CONFIRMED_ANNOTATION]: restored } } };
  await client.of(KubeVirt).patch(KUBEVIRT_NAME, patch, { namespace: KUBEVIRT_NAMESPACE, type: 'merge' });
  console.log('VMs start again from now on.');
}
