import { isDeleting, PersistentVolumeClaim } from '@vireo/api';
import { HarvesterQuota, QUOTA_NAME } from '@vireo/api/kinds/harvester/resourceQuota.ts';
import { snapshotSizes } from '@vireo/api/kinds/harvester/snapshotSizes.ts';
import { Vm } from '@vireo/api/kinds/kubevirt/vm.ts';
import { VolumeSnapshot } from '@vireo/api/kinds/volumesnapshot/volumeSnapshot.ts';
import { type ControllerContext, runController, watch } from '@vireo/kube';
import { quotaStatus } from './status.ts';

/** Tells in Harvester's quotas how much snapshots take. That no more are taken is for admission to see to. */
export async function startSnapshotQuotaController(context: ControllerContext, signal: AbortSignal): Promise<void> {
  const { client, informers } = context;
  const quotas = informers.for(HarvesterQuota);
  const snapshots = informers.for(VolumeSnapshot);
  const vms = informers.for(Vm);
  const claims = informers.for(PersistentVolumeClaim);

  await runController(
    {
      name: 'snapshotquota',
      for: quotas,
      watches: [watch(snapshots, ({ metadata }) => `${metadata.namespace}/${QUOTA_NAME}`)],
      reads: [vms, claims],
      reconcile: async (key) => {
        const quota = quotas.get(key);
        if (!quota || isDeleting(quota)) return;
        const { namespace } = quota.metadata;
        const isHere = ({ metadata }: { metadata: { namespace?: string } }) => metadata.namespace === namespace;
        const sizes = snapshotSizes(snapshots.list().filter(isHere), vms.list().filter(isHere), (name) =>
          claims.get(`${namespace}/${name}`),
        );
        await client.of(HarvesterQuota).writeStatus(quota, quotaStatus(quota, sizes));
      },
    },
    context,
    signal,
  );
}
