import { DaemonSet, Deployment, Node } from '@vireo/api';
import { KubeVirt } from '@vireo/api/kinds/kubevirt/kubeVirt.ts';
import { KUBEVIRT_NAME, KUBEVIRT_NAMESPACE } from '@vireo/api/kinds/kubevirt/names.ts';
import { type ControllerContext, runController, systemClock, watch } from '@vireo/kube';
import { DAEMON_SET } from './components.ts';
import type { Health } from './health.ts';
import { reconcileKubeVirt } from './reconcile.ts';

/** How long news of a node may wait for that of others. */
const DEBOUNCE_MS = 200;

const KEY = `${KUBEVIRT_NAMESPACE}/${KUBEVIRT_NAME}`;

/** Tells how the installation is doing, in the object and the component objects where KubeVirt's tools look. */
export async function startKubeVirtController(
  context: ControllerContext & {
    readonly health: Health;
    readonly architecture: string;
    /** Whether our parts are shown as a Deployment each and a DaemonSet, which nobody runs. */
    readonly showsComponents: boolean;
  },
  signal: AbortSignal,
): Promise<void> {
  const { client, informers, recorder, health, architecture, showsComponents, clock = systemClock } = context;
  const here = { namespace: KUBEVIRT_NAMESPACE };
  const kubevirts = informers.for(KubeVirt, here);
  const deployments = informers.for(Deployment, here);
  const daemonSets = informers.for(DaemonSet, here);
  const nodes = informers.for(Node);
  await runController(
    {
      name: 'kubevirt',
      for: kubevirts,
      watches: [
        watch([deployments, daemonSets], () => KEY),
        // Nodes come in crowds: one look for all of them.
        watch(nodes, () => ({ key: KEY, afterMs: DEBOUNCE_MS })),
      ],
      sources: [(queue) => health.onChange(() => queue.add(KEY))],
      reconcile: async () => {
        const kubevirt = kubevirts.get(KEY);
        if (!kubevirt || kubevirt.metadata.deletionTimestamp) return;
        const installation = {
          kubevirt,
          deployments: deployments.list(),
          daemonSet: daemonSets.get(`${KUBEVIRT_NAMESPACE}/${DAEMON_SET}`),
          nodes: nodes.list(),
          health,
          architecture,
          showsComponents,
          now: new Date(clock.now()),
        };
        await reconcileKubeVirt(installation, client, recorder);
      },
    },
    context,
    signal,
  );
}
