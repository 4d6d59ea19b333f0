import { Lease, Node, Pod } from '@vireo/api';
import { ATTACHMENT_SELECTOR } from '@vireo/api/kinds/kubevirt/attachmentPod.ts';
import { LAUNCHER_SELECTOR } from '@vireo/api/kinds/kubevirt/names.ts';
import { Vmi } from '@vireo/api/kinds/kubevirt/vmi.ts';
import { type ControllerContext, runController, systemClock } from '@vireo/kube';
import { heartbeatExpiresAtMs } from './heartbeat.ts';
import { reconcileMissing, reconcileNode } from './reconcile.ts';

const LEASES = 'kube-node-lease';

/** Notices nodes whose agents fall silent and those that are removed, and gives up the VMs on them. */
export async function startNodeController(context: ControllerContext, signal: AbortSignal): Promise<void> {
  const { client, informers, recorder, clock = systemClock } = context;
  const nodes = informers.for(Node);
  const leases = informers.for(Lease, { namespace: LEASES });
  const vmis = informers.for(Vmi, { indexes: { node: ({ status }) => [status?.nodeName ?? ''] } });
  const onNode = { node: ({ spec }: Pod) => [spec?.nodeName ?? ''] };
  const pods = [LAUNCHER_SELECTOR, ATTACHMENT_SELECTOR].map((labelSelector) =>
    informers.for(Pod, { labelSelector, indexes: onNode }),
  );
  const listeningSinceMs = clock.now();
  /** Nodes that VMs name and that are not there, and since when. */
  const missing = new Map<string, number>();
  await runController(
    {
      name: 'node',
      for: nodes,
      // Renewals of leases come all the time and need no look: the reconcile before has set its own date.
      reads: [leases, vmis, ...pods],
      // Of a node that was removed while nobody listened only its VMs tell.
      initialKeys: () => vmis.list().flatMap(({ status }) => status?.nodeName || []),
      reconcile: async (key) => {
        const node = nodes.get(key);
        const there = {
          vmis: vmis.byIndex('node', key),
          pods: pods.flatMap((informer) => informer.byIndex('node', key)),
          now: new Date(clock.now()),
        };
        if (node) {
          missing.delete(key);
          const until = heartbeatExpiresAtMs(node, leases.get(`${LEASES}/${key}`), listeningSinceMs);
          return reconcileNode({ node, heartbeatExpiresAtMs: until, ...there }, client, recorder);
        }
        const sinceMs = missing.get(key) ?? clock.now();
        missing.set(key, sinceMs);
        const result = await reconcileMissing({ name: key, sinceMs, ...there }, client, recorder);
        if (!result) missing.delete(key);
        return result;
      },
    },
    context,
    signal,
  );
}
