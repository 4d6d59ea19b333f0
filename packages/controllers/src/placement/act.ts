import { type Persisted, PersistentVolumeClaim } from '@vireo/api';
import { BOUND_MESSAGE } from '@vireo/api/kinds/cdi/names.ts';
import { SELECTED_NODE } from '@vireo/api/kinds/core/volumeNames.ts';
import { type Client, ignoreNotFoundOrConflict, type Recorder } from '@vireo/kube';

type Claim = Persisted<PersistentVolumeClaim>;

/** The writes of the controller that places claims. */
export interface PlacementActions {
  /** Chooses the node that makes the volume. Fails if the claim has changed since. */
  select(claim: Claim, node: string): Promise<void>;
  /** Takes back the choice, for the scheduler to choose again. */
  clear(claim: Claim, message: string): Promise<void>;
  /** Says on the claim why it has no volume yet, and in an event when that changes; undefined: it has one. */
  explain(claim: Claim, message: string | undefined): Promise<void>;
}

export function placementActions(client: Client, recorder: Recorder): PlacementActions {
  const claims = client.of(PersistentVolumeClaim);
  return {
    async select(claim, node) {
      const hasMessage = claim.metadata.annotations?.[BOUND_MESSAGE] !== undefined;
      const annotations = { [SELECTED_NODE]: node, ...(hasMessage && { [BOUND_MESSAGE]: null }) };
      await claims.patchIfUnchanged(claim, { metadata: { annotations } });
    },
    async clear(claim, message) {
      await claims.patchIfUnchanged(claim, { metadata: { annotations: { [SELECTED_NODE]: null } } });
      recorder.event(claim, 'Warning', 'SelectedNodeLost', message);
    },
    async explain(claim, message) {
      if (claim.metadata.annotations?.[BOUND_MESSAGE] === message) return;
      if (message !== undefined) recorder.event(claim, 'Warning', 'ProvisioningFailed', message);
      const patch = { metadata: { annotations: { [BOUND_MESSAGE]: message ?? null } } };
      await claims.patchExactly(claim, patch).catch(ignoreNotFoundOrConflict);
    },
  };
}
