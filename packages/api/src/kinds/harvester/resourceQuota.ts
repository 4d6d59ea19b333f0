import { defineKind } from '../../kind.ts';
import { objectFields } from '../../meta.ts';
import { type Infer, int64, map, struct } from '../../schema.ts';
import { ageDate } from '../customColumns.ts';
import { optional, within } from '../customResource.ts';
import { HARVESTER_GROUP } from './names.ts';

/** The one object of the kind in a namespace. */
export const QUOTA_NAME = 'default-resource-quota';

const bytes = within(0, undefined, int64);

export const SnapshotLimit = struct(
  'io.harvesterhci.v1beta1.SnapshotLimit',
  'Limits of the total size of snapshots, in bytes. 0 means unlimited.',
  {
    namespaceTotalSnapshotSizeQuota: optional(bytes, 'Limit of all snapshots in the namespace.'),
    vmTotalSnapshotSizeQuota: optional(map(bytes), 'Limits of the snapshots of single VMs, by name.'),
  },
);
export interface SnapshotLimit extends Infer<typeof SnapshotLimit> {}

export const SnapshotLimitStatus = struct(
  'io.harvesterhci.v1beta1.SnapshotLimitStatus',
  'Total size of the snapshots that exist, in bytes.',
  {
    namespaceTotalSnapshotSizeUsage: optional(int64, 'Size of all snapshots in the namespace.'),
    vmTotalSnapshotSizeUsage: optional(map(int64), 'Size of the snapshots of single VMs, by name.'),
  },
);
export interface SnapshotLimitStatus extends Infer<typeof SnapshotLimitStatus> {}

export const HarvesterQuotaSpec = struct('io.harvesterhci.v1beta1.ResourceQuotaSpec', 'Limits of a namespace.', {
  snapshotLimit: optional(SnapshotLimit, 'Limits of the total size of snapshots.'),
});
export interface HarvesterQuotaSpec extends Infer<typeof HarvesterQuotaSpec> {}

export const HarvesterQuotaStatus = struct('io.harvesterhci.v1beta1.ResourceQuotaStatus', 'What is in use.', {
  snapshotLimitStatus: optional(SnapshotLimitStatus, 'Total size of the snapshots that exist.'),
});
export interface HarvesterQuotaStatus extends Infer<typeof HarvesterQuotaStatus> {}

export const HarvesterQuotaSchema = struct(
  'io.harvesterhci.v1beta1.ResourceQuota',
  'Limits the total size of snapshots of a namespace and of its VMs. Its name is default-resource-quota.',
  {
    ...objectFields,
    spec: optional(HarvesterQuotaSpec, 'Desired state of the ResourceQuota.'),
    status: optional(HarvesterQuotaStatus, 'Observed state of the ResourceQuota. The system writes it.'),
  },
);
export interface HarvesterQuota extends Infer<typeof HarvesterQuotaSchema> {}

/** Harvester's ResourceQuota, which is not the ResourceQuota of Kubernetes. */
export const HarvesterQuota = defineKind<HarvesterQuota>({
  group: HARVESTER_GROUP,
  version: 'v1beta1',
  kind: 'ResourceQuota',
  plural: 'resourcequotas',
  namespaced: true,
  shortNames: ['hrq', 'hrqs'],
  schema: HarvesterQuotaSchema,
  columns: [
    {
      name: 'Namespace_Total_Snapshot_Size_Quota',
      type: 'integer',
      jsonPath: '.spec.snapshotLimit.namespaceTotalSnapshotSizeQuota',
      description: 'Limit of all snapshots in the namespace, in bytes.',
    },
    {
      name: 'Namespace_Total_Snapshot_Size_Usage',
      type: 'integer',
      jsonPath: '.status.snapshotLimitStatus.namespaceTotalSnapshotSizeUsage',
      description: 'Size of all snapshots in the namespace, in bytes.',
    },
    ageDate,
  ],
});
