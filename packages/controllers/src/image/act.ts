import { conditionOf, type Persisted } from '@vireo/api';
import { DataVolume } from '@vireo/api/kinds/cdi/dataVolume.ts';
import {
  isImported,
  VirtualMachineImage,
  type VirtualMachineImageStatus,
} from '@vireo/api/kinds/harvester/virtualMachineImage.ts';
import { type Client, type Draft, ignoreNotFoundOrConflict, type Recorder } from '@vireo/kube';

/** The writes of the controller of images. */
export interface ImageActions {
  create(draft: Draft<DataVolume>): Promise<Persisted<DataVolume>>;
  remove(dataVolume: Persisted<DataVolume>): Promise<void>;
  writeStatus(image: Persisted<VirtualMachineImage>, status: VirtualMachineImageStatus): Promise<void>;
}

export function imageActions(client: Client, recorder: Recorder): ImageActions {
  const dataVolumes = client.of(DataVolume);
  return {
    create: async (draft) => (await dataVolumes.createOrGet(draft)).object,
    async remove(dataVolume) {
      await dataVolumes.deleteExactly(dataVolume).catch(ignoreNotFoundOrConflict);
    },
    async writeStatus(image, status) {
      const written = await client.of(VirtualMachineImage).writeStatus(image, status);
      if (!written) return;
      const failure = status.conditions?.find(({ type, status: is }) => type === 'Imported' && is === 'False');
      const before = conditionOf(image, 'Imported');
      if (isImported(written) && !isImported(image)) {
        const message = `The image is ready: claims created from it need at least ${status.virtualSize} bytes`;
        recorder.event(image, 'Normal', 'Imported', message);
      } else if (failure && failure.message !== before?.message)
        recorder.event(image, 'Warning', failure.reason ?? 'ImportFailed', failure.message ?? '');
    },
  };
}
