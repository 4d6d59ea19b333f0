import { controllerReference, type Persisted, PersistentVolumeClaim } from '@vireo/api';
import { DataVolume, type DataVolumeStatus } from '@vireo/api/kinds/cdi/dataVolume.ts';
import { POPULATED_FOR } from '@vireo/api/kinds/cdi/names.ts';
import { type Client, type Draft, ignoreNotFound, type Recorder } from '@vireo/kube';
import type { EventDraft } from './events.ts';

/** The writes of the controller of DataVolumes. */
export interface DataVolumeActions {
  create(claim: Draft<PersistentVolumeClaim>): Promise<Persisted<PersistentVolumeClaim>>;
  /** Makes a claim that has its data already the DataVolume's own. */
  adopt(
    dataVolume: Persisted<DataVolume>,
    claim: Persisted<PersistentVolumeClaim>,
  ): Promise<Persisted<PersistentVolumeClaim>>;
  /** Whether there was something to write. */
  writeStatus(dataVolume: Persisted<DataVolume>, status: DataVolumeStatus): Promise<boolean>;
  recordEvent(dataVolume: Persisted<DataVolume>, event: EventDraft): void;
}

export function dataVolumeActions(client: Client, recorder: Recorder): DataVolumeActions {
  const claims = client.of(PersistentVolumeClaim);
  return {
    create: async (draft) => (await claims.createOrGet(draft)).object,
    adopt(dataVolume, claim) {
      const owned = {
        annotations: { [POPULATED_FOR]: dataVolume.metadata.name },
        ownerReferences: [...(claim.metadata.ownerReferences ?? []), controllerReference(dataVolume, DataVolume)],
      };
      return claims.patchIfUnchanged(claim, { metadata: owned });
    },
    async writeStatus(dataVolume, status) {
      const written = await client.of(DataVolume).writeStatus(dataVolume, status).catch(ignoreNotFound);
      return written !== undefined;
    },
    recordEvent: (dataVolume, { type, reason, message }) => recorder.event(dataVolume, type, reason, message),
  };
}
