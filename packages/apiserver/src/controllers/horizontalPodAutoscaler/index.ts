import { HorizontalPodAutoscaler } from '@vireo/api';
import { deepEqual } from '@vireo/api/json.ts';
import { type ControllerContext, keyOf, runController, systemClock, watch } from '@vireo/kube';
import { findKind, type ServedKinds } from '../servedKinds.ts';
import { Histories } from './history.ts';
import { MetricsClient } from './metricsClient.ts';
import { reconcileAutoscaler } from './reconcile.ts';

export const HORIZONTAL_POD_AUTOSCALER_USER = 'system:serviceaccount:kube-system:horizontal-pod-autoscaler';

/** kube-controller-manager's `--horizontal-pod-autoscaler-sync-period`. */
const AUTOSCALER_SYNC_PERIOD_MS = 15_000;
/** kube-controller-manager's `--concurrent-horizontal-pod-autoscaler-syncs`. */
const CONCURRENCY = 5;

/** Scales what HorizontalPodAutoscalers are for with its load. Costs nothing while there are none. */
export async function startHorizontalPodAutoscalerController(
  context: ControllerContext & { readonly served: ServedKinds; readonly autoscalerSyncPeriodMs?: number },
  signal: AbortSignal,
): Promise<void> {
  const { client, informers, served, recorder, clock = systemClock } = context;
  const { autoscalerSyncPeriodMs: periodMs = AUTOSCALER_SYNC_PERIOD_MS } = context;
  const autoscalers = informers.for(HorizontalPodAutoscaler);
  const histories = new Histories();
  const metrics = new MetricsClient(client, (reference) => findKind(served, reference));
  const parts = { client, served, metrics, histories, recorder, nowMs: () => clock.now() };
  await runController(
    {
      name: 'horizontalpodautoscaler',
      concurrency: CONCURRENCY,
      watches: [
        watch(autoscalers, {
          added: keyOf,
          // What it writes itself is no reason to look again.
          updated: (old, autoscaler) => (deepEqual(old.spec, autoscaler.spec) ? undefined : keyOf(autoscaler)),
          deleted: keyOf,
        }),
      ],
      subject: (key) => {
        const [namespace = '', name = ''] = key.split('/');
        return { kind: HorizontalPodAutoscaler.kind, namespace, name };
      },
      reconcile: async (key) => {
        const autoscaler = autoscalers.get(key);
        if (!autoscaler) {
          histories.forget(key);
          return undefined;
        }
        if (!autoscaler.metadata.deletionTimestamp) await reconcileAutoscaler(autoscaler, parts);
        return { requeueAfterMs: periodMs };
      },
    },
    context,
    signal,
  );
}
