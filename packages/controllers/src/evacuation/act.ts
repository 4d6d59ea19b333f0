import { type Persisted, Pod } from '@vireo/api';
import { deepEqual } from '@vireo/api/json.ts';
import { setConditions } from '@vireo/api/kinds/kubevirt/conditions.ts';
import {
  DESCHEDULER_SOURCE,
  EVACUATION_ANNOTATION,
  EVICTION_IN_PROGRESS_ANNOTATION,
  EVICTION_REQUESTED,
  EVICTION_SOURCE_ANNOTATION,
} from '@vireo/api/kinds/kubevirt/eviction.ts';
import { Vmi } from '@vireo/api/kinds/kubevirt/vmi.ts';
import { type Client, type Expectations, ignoreNotFound, keyOf, type Recorder } from '@vireo/kube';
import { createMigration } from '../createMigration.ts';

/** The writes of the evacuation controller. */
export interface EvacuationActions {
  /** Has the guest leave a node. */
  migrate(vmi: Vmi, node: string): Promise<void>;
  /** Tells, in the VMI and its launchers, whether the guest is to leave. */
  tell(vmi: Vmi, launchers: readonly Persisted<Pod>[], isRequested: boolean, now: Date): Promise<void>;
}

export function evacuationActions(client: Client, recorder: Recorder, expectations: Expectations): EvacuationActions {
  return {
    async migrate(vmi, node) {
      const isDescheduled = vmi.metadata.annotations?.[EVICTION_SOURCE_ANNOTATION] === DESCHEDULER_SOURCE;
      const draft = {
        generateName: 'kubevirt-evacuation-',
        annotations: { [EVACUATION_ANNOTATION]: node },
        priority: isDescheduled ? 'system-maintenance' : 'system-critical',
      };
      expectations.expectCreations(keyOf(vmi), 1);
      try {
        await createMigration(vmi, draft, client, recorder);
      } catch (error) {
        expectations.creationObserved(keyOf(vmi));
        throw error;
      }
    },

    async tell(vmi, launchers, isRequested, now) {
      const conditions = setConditions(
        vmi.status?.conditions,
        isRequested
          ? [
              {
                type: EVICTION_REQUESTED,
                status: 'True',
                reason: 'EvictionRequested',
                message: 'VMI is marked for eviction',
              },
            ]
          : [],
        now,
        [EVICTION_REQUESTED],
      );
      if (!deepEqual(conditions, vmi.status?.conditions ?? []))
        await client.of(Vmi).patchIfUnchanged(vmi, { status: { conditions } }).catch(ignoreNotFound);
      for (const pod of launchers) {
        const isLeaving = isRequested && pod.spec?.nodeName === vmi.status?.evacuationNodeName;
        if (isLeaving === (pod.metadata.annotations?.[EVICTION_IN_PROGRESS_ANNOTATION] !== undefined)) continue;
        const annotations = { [EVICTION_IN_PROGRESS_ANNOTATION]: isLeaving ? 'true' : null };
        await client.of(Pod).patchExactly(pod, { metadata: { annotations } }).catch(ignoreNotFound);
      }
    },
  };
}
