import type { HarvesterQuota, HarvesterQuotaStatus } from '@vireo/api/kinds/harvester/resourceQuota.ts';
import type { SnapshotSizes } from '@vireo/api/kinds/harvester/snapshotSizes.ts';

/** The status that a quota should have: of VMs those that have a limit or snapshots. */
export function quotaStatus({ spec }: HarvesterQuota, { namespace, vms }: SnapshotSizes): HarvesterQuotaStatus {
  const names = new Set([...Object.keys(spec?.snapshotLimit?.vmTotalSnapshotSizeQuota ?? {}), ...vms.keys()]);
  return {
    snapshotLimitStatus: {
      namespaceTotalSnapshotSizeUsage: namespace,
      vmTotalSnapshotSizeUsage: Object.fromEntries([...names].sort().map((name) => [name, vms.get(name) ?? 0])),
    },
  };
}
