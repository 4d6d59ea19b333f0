import { Lease, Node, Pod } from '@vireo/api';
import { ATTACHMENT_SELECTOR } from '@vireo/api/kinds/kubevirt/attachmentPod.ts';
import { LAUNCHER_SELECTOR } from '@vireo/api/kinds/kubevirt/names.ts';
import { Vmi } from '@vireo/api/kinds/kubevirt/vmi.ts';
import { type ControllerContext, ownerKey, runController, systemClock } from '@vireo/kube';
import { VMIS_BY_NODE } from '../vmisByNode.ts';
import { nodeActions } from './act.ts';
import { reconcileMissing, reconcileNode } from './reconcile.ts';
import { LEASES, LONGEST_GAP_MS, Silence } from './silence.ts';

const VMIS_BY_TARGET = { target: ({ status }: Vmi): string[] => [status?.migrationState?.targetNode ?? ''] };

/** Notices nodes that fall silent and those that are removed, and says so of the VMIs on them. */
export async function startNodeController(context: ControllerContext, signal: AbortSignal): Promise<void> {
  const { client, informers, recorder, log, clock = systemClock } = context;
  const nodes = informers.for(Node);
  const leases = informers.for(Lease, { namespace: LEASES });
  const vmis = informers.for(Vmi, { indexes: { ...VMIS_BY_NODE, ...VMIS_BY_TARGET } });
  const onNode = { node: ({ spec }: Pod) => [spec?.nodeName ?? ''] };
  const pods = [LAUNCHER_SELECTOR, ATTACHMENT_SELECTOR].map((labelSelector) =>
    informers.for(Pod, { labelSelector, indexes: onNode }),
  );
  const act = nodeActions(client, recorder);
  const silences = { cached: new Silence(), confirmed: new Silence(LONGEST_GAP_MS) };
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
        const on = {
          vmis: vmis.byIndex('node', key),
          arriving: vmis.byIndex('target', key),
          pods: pods.flatMap((informer) => informer.byIndex('node', key)),
          vmiOf: (pod: Pod) => {
            const vmi = vmis.get(ownerKey(pod, Vmi) ?? '');
            return vmi && pod.metadata.ownerReferences?.some(({ uid }) => uid === vmi.metadata.uid) ? vmi : undefined;
          },
        };
        const means = { client, act, log, now: new Date(clock.now()) };
        if (node) {
          missing.delete(key);
          return reconcileNode({ node, lease: leases.get(`${LEASES}/${key}`), ...on }, silences, means);
        }
        for (const silence of Object.values(silences)) silence.forget(key);
        const sinceMs = missing.get(key) ?? clock.now();
        missing.set(key, sinceMs);
        const result = await reconcileMissing({ name: key, sinceMs, ...on }, means);
        if (!result) missing.delete(key);
        return result;
      },
    },
    context,
    signal,
  );
}
